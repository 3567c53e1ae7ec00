// What a limit on the step leaves of a search problem.
#pragma once

#include <vector>

#include "planner/search/pricing/priced_network.hpp"

namespace cnnplan {

// Leaves out the candidates with which a rank's own work, and the least that all other units give
// that rank to do, take longer than `limit_s`; all of a unit stay where none would.
// @pre the units have their costs
void leave_out_above(double limit_s, PricedNetwork& priced);

// By sampled rank, what the least that its units give it to do leaves of `limit_s`.
std::vector<double> spare_within(double limit_s, const PricedNetwork& priced);

}  // namespace cnnplan
