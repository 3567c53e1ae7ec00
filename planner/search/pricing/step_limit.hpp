// Leaves out of a search problem what a limit on the step excludes.
#pragma once

#include <vector>

#include "planner/search/pricing/priced_network.hpp"

namespace cnnplan {

// Leaves out the candidates with which a rank's own work, and the least work that all other units
// give this rank, take longer than `limit_s`. A unit keeps all candidates where none would stay.
// @pre the units have their costs
void leave_out_above(double limit_s, PricedNetwork& priced);

// Returns by probed rank the part of `limit_s` that the least work of all units leaves.
std::vector<double> spare_within(double limit_s, const PricedNetwork& priced);

}  // namespace cnnplan
