// Fills the search problem with prices of lowered operations.
#pragma once

#include <limits>

#include "planner/model/plan.hpp"
#include "planner/predict/price.hpp"
#include "planner/search/priced_network.hpp"

namespace cnnplan {

// The cost of a unit on a mesh is the sum over its kernels, statistics and gradient reductions;
// that of an edge is the transfer forward and back (EdgePrices says how exactly). Both on the
// slowest of a few ranks of that mesh or pair of meshes (sample_ranks). `plan` gives network,
// ranks, batch and options; its meshes do not matter. A candidate is left out where a rank's own
// work in it, and the least that all other units give that rank to do, take longer than `limit_s`:
// the step of a plan that is known.
// @pre `choices` is what split_choices or split_choices_with_recompute gives for `plan`
PricedNetwork price_network(const Plan& plan,
                            const SplitChoices& choices,
                            const PriceList& prices,
                            double limit_s = std::numeric_limits<double>::infinity());

// No plan made of the choices is predicted a shorter step: the slowest sampled rank, with the best
// choices for it alone, never waiting.
double least_step_s(const PricedNetwork& priced);

}  // namespace cnnplan
