// Chooses the convolutions that compute their interior while their halo travels.
#pragma once

#include "planner/predict/price.hpp"
#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// Returns `plan` with HaloMethod::exchange_first in all layers.
Plan exchanging_first(Plan plan);

// Adds plans with interiors and strips to `scores`. It takes the fastest plans so far that fit, at
// most 8, and changes the layers where interiors and strips may hide more time than they cost. All
// of these layers are tried first, then the half that gains most, and so on. A plan is added only
// if its step is shorter than the steps of all plans so far that fit. Adds nothing where no message
// travels while kernels run. A layer whose kernels are cheaper in parts than whole stays whole,
// because the bound would not hold for such prices. With `only_profiled`, a layer also stays whole
// if the profile lacks a kernel of its parts.
void add_interior_strips(const PriceList& prices, bool only_profiled, Scores& scores);

}  // namespace cnnplan
