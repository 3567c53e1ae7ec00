// How clear the choice of every unit is.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// Runner-up plans that differ in more units are not told.
inline constexpr std::size_t most_told_changes = 256;

struct PlanMargins {
  std::vector<UnitMargin> units;
  // Of all ranks and of each sampled one that in which the plan is closest to what costs least, the
  // first of equals.
  OperationSum sum;
};

// By unit of `pricing`, the best other split, where there is one that may be in a plan worth
// finding: how much more all costs are in sum with it than with the plan's choice, all other units
// adapting to either. Not below 0 where the plan costs least; below 0 where it was chosen for
// another reason, its step in virtual time or its memory. Empty where the graph is too entangled
// for min_marginals, or the plan is none of `pricing`. `changes` are told where the best plan with
// that split does not cost less than `plan`, and differs from it in most_told_changes units at
// most.
// @pre `pricing` is of `blank`
PlanMargins margins(const Plan& blank, const Plan& plan, NetworkPricing& pricing);

}  // namespace cnnplan
