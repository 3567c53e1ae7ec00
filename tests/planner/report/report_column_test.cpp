// Tests in which column and row of a report an operation counts.
#include "planner/report/report_column.hpp"

#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("column_of: parts of messages between channels share a column, and so do allreduces") {
  CHECK(column_of(OperationPart::channel_allgather) == ReportColumn::channels);
  CHECK(column_of(OperationPart::channel_reduce_scatter) == ReportColumn::channels);
  CHECK(column_of(OperationPart::statistics_allreduce) == ReportColumn::allreduce);
  CHECK(column_of(OperationPart::loss_allreduce) == ReportColumn::allreduce);
}

TEST_CASE("column_of: a column with the name of a part counts this part") {
  std::set<ReportColumn> columns;
  for (const OperationPart part : Enumerators<OperationPart>::all) {
    columns.insert(column_of(part));
    for (const ReportColumn column : all_report_columns) {
      if (to_text(column) == to_text(part)) CHECK(column_of(part) == column);
    }
  }
  CHECK(columns.size() == all_report_columns.size());
}

TEST_CASE("runs_kernels: each part counts as kernels or as data that move, updates as kernels") {
  for (const OperationPart part : Enumerators<OperationPart>::all) {
    const ReportColumn column = column_of(part);
    if (column == ReportColumn::other) continue;
    const bool moves = column == ReportColumn::halo || column == ReportColumn::channels ||
                       column == ReportColumn::shuffle || column == ReportColumn::copy ||
                       column == ReportColumn::allreduce;
    CHECK(runs_kernels(part) != moves);
  }
  CHECK(runs_kernels(OperationPart::update));
  CHECK_FALSE(runs_kernels(OperationPart::gradient_reduction));
}

TEST_CASE("group_of: the layer, or the bucket's reduction or update, for any id") {
  const auto group = [](const OperationPlace& place) {
    return group_of({.id = "conv9/forward", .place = place});
  };
  CHECK(group({.part = OperationPart::halo, .layer = "conv1"}) == "conv1");
  CHECK(group({.part = OperationPart::gradient_reduction}) == "reduce");
  CHECK(group({.part = OperationPart::weight_allgather}) == "reduce");
  CHECK(group({.part = OperationPart::update}) == "sgd");
  CHECK_THROWS_AS(group({}), std::logic_error);
}

}  // namespace cnnplan
