// Writes the prices of a layer's operations as sums over the figures of the platform.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/formula.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

// Returns the price of one operation as a sum over the figures of the platform, or for a kernel
// over its profiled time or the rates of its estimate. The amount of a figure is the slope of the
// price in this figure. Prices are sums of figures times constants, except where another link
// becomes the slowest or another algorithm the fastest.
Formula formula_of(const Schedule& schedule, const Operation& operation, const PriceList& prices);

// Returns the formula of every operation of `layer`, on the rank where it takes longest, in
// schedule order. There are none if the network has no such layer. @pre validate(plan) holds
std::vector<Formula> formulas(const Plan& plan, const std::string& layer, const PriceList& prices);

}  // namespace cnnplan
