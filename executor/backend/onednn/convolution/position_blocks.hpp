// Cuts the outputs of a convolution into blocks of few positions, with the inputs that each block
// needs.
#pragma once

#include <cstdint>
#include <functional>

#include "planner/kernel/kernel.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan::onednn {

// Describes a block of outputs, with all channels. Both boxes are in local indices of the
// convolution.
struct PositionBlock {
  Box out;
  Box in;           // that the outputs need; empty where all windows lie in the padding
  KernelSpec spec;  // the convolution from `in` to `out`, with the padding at their edges
};

// Calls f(block) for blocks that cover all outputs once, in order. Each has at most
// `most_positions` positions.
// @pre the spec has no empty extent, and most_positions >= 1
void for_each_position_block(const KernelSpec& convolution,
                             std::int64_t most_positions,
                             const std::function<void(const PositionBlock&)>& f);

}  // namespace cnnplan::onednn
