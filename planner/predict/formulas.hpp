// What the prices of a layer's operations are made of.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/formula.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

// The price of one operation as a sum over the figures of the platform, or over what is known of
// its kernel. How often a figure counts is by how much the price grows with it: prices are sums of
// figures times constants, between the points where another link is the slowest or another
// algorithm the fastest.
Formula formula_of(const Schedule& schedule, const Operation& operation, const PriceList& prices);

// Of every operation whose id begins with `layer` and a slash, on the rank where it takes longest,
// in schedule order. @pre validate(plan) holds
std::vector<Formula> formulas(const Plan& plan, const std::string& layer, const PriceList& prices);

}  // namespace cnnplan
