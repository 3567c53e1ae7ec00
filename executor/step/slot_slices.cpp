// Cuts along the filters, so that each slice is contiguous in plain order.
#include "executor/step/slot_slices.hpp"

#include <algorithm>

namespace cnnplan {

std::int64_t filters_at_once(const Shape& shape) {
  const std::int64_t values = volume(shape);
  if (values == 0) return 1;
  return std::max<std::int64_t>(1, most_slice_values / (values / shape[Dim::n]));
}

std::vector<Box> slices_of(const ParameterSlot& slot, std::int64_t filter_block) {
  const Range filters = slot.box[Dim::n];
  const std::int64_t blocks = filters_at_once(shape_of(slot.box)) / filter_block;
  const std::int64_t step = std::max<std::int64_t>(1, blocks) * filter_block;
  std::vector<Box> slices;
  for (std::int64_t first = filters.begin; first < filters.end; first += step) {
    slices.push_back(slot.box);
    slices.back()[Dim::n] = {first, std::min(first + step, filters.end)};
  }
  return slices;
}

}  // namespace cnnplan
