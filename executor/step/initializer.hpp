// Draws first values of parameters from the seed, the layer and the element, so that they are equal
// for every plan.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the first values of a slice of a parameter, in plain order (row-major). Weights of
// convolutions are normal with variance 2 / fan_in (He 2015). Weights of fully connected layers are
// uniform in +-1 / sqrt(fan_in). Here fan_in is C/groups KD KH KW, and for transposed convolutions
// F/groups KD KH KW, as PyTorch counts it for every stride. Bias and shift are 0, and scale is 1.
// @pre the slot belongs to `network`, and its box holds `slice`
std::vector<double> initial_values(const ParameterSlot& slot,
                                   const Box& slice,
                                   const Network& network,
                                   std::uint64_t seed);

}  // namespace cnnplan
