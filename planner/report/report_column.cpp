// Several parts share a column, so that a table fits on a screen.
#include "planner/report/report_column.hpp"

#include <cstddef>
#include <stdexcept>

namespace cnnplan {

std::string_view to_text(ReportColumn column) {
  constexpr std::array<std::string_view, all_report_columns.size()> names{"forward",
                                                                          "backward_data",
                                                                          "backward_filter",
                                                                          "halo",
                                                                          "channels",
                                                                          "shuffle",
                                                                          "copy",
                                                                          "statistics",
                                                                          "allreduce",
                                                                          "other"};
  return names[static_cast<std::size_t>(column)];
}

ReportColumn column_of(OperationPart part) {
  switch (part) {
    case OperationPart::forward:
      return ReportColumn::forward;
    case OperationPart::backward_data:
      return ReportColumn::backward_data;
    case OperationPart::backward_filter:
      return ReportColumn::backward_filter;
    case OperationPart::halo:
      return ReportColumn::halo;
    case OperationPart::channel_allgather:
    case OperationPart::channel_reduce_scatter:
      return ReportColumn::channels;
    case OperationPart::shuffle:
      return ReportColumn::shuffle;
    case OperationPart::copy:
      return ReportColumn::copy;
    case OperationPart::statistics:
      return ReportColumn::statistics;
    case OperationPart::statistics_allreduce:
    case OperationPart::loss_allreduce:
      return ReportColumn::allreduce;
    case OperationPart::load:
    case OperationPart::accumulate:
    case OperationPart::gradient_reduction:
    case OperationPart::weight_allgather:
    case OperationPart::update:
      return ReportColumn::other;
  }
  throw std::logic_error("part of an operation");
}

OperationPart part_of(const PredictedOperation& operation) {
  if (!operation.place.part) throw std::logic_error(operation.id + " has no part");
  return *operation.place.part;
}

bool runs_kernels(OperationPart part) {
  switch (part) {
    case OperationPart::forward:
    case OperationPart::backward_data:
    case OperationPart::backward_filter:
    case OperationPart::statistics:
    case OperationPart::accumulate:
    case OperationPart::update:
      return true;
    default:
      return false;
  }
}

std::string group_of(const PredictedOperation& operation) {
  part_of(operation);
  return group_of(operation.place);
}

std::string group_of(const OperationPlace& place) {
  const OperationPart part = place.part.value();
  if (!serves_bucket(part)) return place.layer;
  return part == OperationPart::update ? "sgd" : "reduce";
}

}  // namespace cnnplan
