// Finds equal kernels by their specification, and orders timed rows by the time that they lose.
#include "planner/report/roofline_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "planner/report/report_column.hpp"

namespace cnnplan {
namespace {

RooflineRow row_of(const RooflineKernel& kernel) {
  return {.first = group_of(kernel.place),
          .part = kernel.place.part.value(),
          .kind = kernel.bound.kind(),
          .kernels = 1,
          .bytes = kernel.bound.bytes,
          .flops = kernel.spec.kind == KernelKind::convolution ? kernel.bound.flops : 0.0,
          .bound_s = kernel.bound.seconds(),
          .saving = kernel.bound.saving,
          .seconds = kernel.seconds,
          .estimated = kernel.estimated};
}

// Orders rows as rows_of() says.
bool comes_before(const RooflineRow& a, const RooflineRow& b) {
  if (a.estimated != b.estimated) return b.estimated;
  return a.estimated ? a.seconds > b.seconds : a.lost_s() > b.lost_s();
}

}  // namespace

bool RooflineRow::is_below_bound() const {
  constexpr double rounding = 1e-9;
  return seconds < bound_s * (1.0 - rounding);
}

void RooflineRow::add(const RooflineRow& other) {
  kernels += other.kernels;
  bytes += other.bytes;
  flops += other.flops;
  bound_s += other.bound_s;
  seconds += other.seconds;
  estimated = estimated || other.estimated;
}

std::vector<RooflineRow> rows_of(const Roofline& roofline) {
  std::vector<RooflineRow> rows;
  std::map<std::pair<KernelSpec, OperationPart>, std::size_t> places;
  for (const RooflineKernel& kernel : roofline.kernels) {
    RooflineRow row = row_of(kernel);
    const auto [place, is_new] =
        places.try_emplace({canonical(kernel.spec), row.part}, rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else {
      rows[place->second].add(row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), comes_before);
  return rows;
}

}  // namespace cnnplan
