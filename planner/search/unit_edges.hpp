// What the transfers between units cost.
#pragma once

#include <vector>

#include "planner/predict/price.hpp"
#include "planner/search/priced_network.hpp"

namespace cnnplan {

// One edge for every tensor that a unit reads of another. Inside a unit, which has one mesh and a
// window or an upsampling in its first layer only, nothing is transferred but what a concat copies:
// that is added to the unit. `spare_s` as EdgePrices has it. @pre the units have their costs
void add_edges(const Plan& plan,
               const PriceList& prices,
               const std::vector<double>& spare_s,
               PricedNetwork& priced);

}  // namespace cnnplan
