// Draws first values of parameters from the seed, the layer and the element. No plan changes them.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// The part that the slot has of the plain tensor, row-major. With fan_in = C/groups KD KH KW, of
// transposed convolutions F/groups KD KH KW (as PyTorch has it, whatever the stride): weights of
// convolutions are normal with variance 2 / fan_in (He 2015), those of fully connected layers
// uniform in +-1 / sqrt(fan_in); bias and shift are 0, scale is 1. @pre slot belongs to `network`
std::vector<double> initial_values(const ParameterSlot& slot,
                                   const Network& network,
                                   std::uint64_t seed);

}  // namespace cnnplan
