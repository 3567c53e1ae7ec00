// Says how the parameters of a rank lie in an array: the rule that memory and executor ask.
//
// Weights, their copies, gradients and momentum are such arrays, or arenas. A slot takes whole
// lines of shard_line_elements. In a sharded update, slots whose gradients are summed together have
// room for equal shards. All functions return elements.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the elements of a weight as a backend stores it.
using WeightElements = std::function<std::int64_t(const KernelSpec& forward)>;

// Returns the elements of a slot, in whole lines. `weight_elements` is asked for weights that have
// elements. @throws InputError on overflow
std::int64_t stored_elements(const Schedule& schedule,
                             const ParameterSlot& slot,
                             DeviceKind device,
                             const WeightElements& weight_elements);
// Returns where each slot begins, and then the elements of the arena. @throws InputError on
// overflow
std::vector<std::int64_t> slot_offsets(const Schedule& schedule,
                                       DeviceKind device,
                                       const WeightElements& weight_elements);
// Returns the elements of this rank's shards, for offsets that slot_offsets() returned; 0 unless
// the update is sharded.
std::int64_t own_shard_elements(const Schedule& schedule, const std::vector<std::int64_t>& offsets);

}  // namespace cnnplan
