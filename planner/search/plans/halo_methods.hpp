// Which convolutions compute their interior while their halo is on its way.
#pragma once

#include "planner/predict/price.hpp"
#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// `plan` without interiors and strips.
Plan exchanging_first(Plan plan);

// The fastest plans so far that fit, with interior and strips where they may hide more than they
// cost: first in all of these layers, then in half as many, those that gain most, and so on until
// the step is shorter than that of any plan. Nothing where nothing runs beside kernels. Kernels
// that are cheaper in parts than whole are not believed, so that the bound stays one.
// `only_profiled`: nor are kernels that the profile lacks.
void add_interior_strips(const PriceList& prices, bool only_profiled, Scores& scores);

}  // namespace cnnplan
