// First values of the parameters: a function of seed, layer and element, whatever the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// The plain tensor, row-major. Weights: normal with variance 2 / fan_in (He 2015), fan_in =
// C/groups KD KH KW; bias and shift 0, scale 1.
std::vector<double> initial_values(const ParameterSlot& slot, std::uint64_t seed);

}  // namespace cnnplan
