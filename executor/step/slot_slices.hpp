// Cuts parameter slots into slices of bounded size, which are converted one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// A slice has at most this many values (2 MiB of doubles), unless a block of filters has more.
inline constexpr std::int64_t most_slice_values = std::int64_t{1} << 18;

// Returns the values of a slice in plain order.
using SliceSource = std::function<std::vector<double>(const Box& slice)>;

// Returns how many filters of a tensor of `shape` (F, ...) are converted at once; at least 1.
std::int64_t filters_at_once(const Shape& shape);
// Returns the slices of the slot's box in plain order. They have whole blocks of `filter_block`
// filters, except that the last slice may end within a block.
std::vector<Box> slices_of(const ParameterSlot& slot, std::int64_t filter_block);

}  // namespace cnnplan
