// Says how much worse the second choice of every unit is.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// UnitMargin::changes are left out for a runner-up that differs from the plan in more units.
inline constexpr std::size_t most_told_changes = 256;

// Holds the margins of a plan and the sum of operations that they are differences of.
struct PlanMargins {
  std::vector<UnitMargin> units;  // in the order of search_units()
  // Among the sums of operations over the slowest ranks, or over one of the probed ranks, it is the
  // sum by which the plan exceeds the cheapest assignment least. The first of equal sums is taken,
  // with overlap always the sum over the slowest ranks.
  OperationSum sum;
};

// Returns for each unit of `pricing` the best other split. A unit has none if transfers with any
// other split surely take longer than a step may. Its margin says how much more all costs are in
// sum with it than with the plan's choice, when all other units adapt to either. A margin is below
// 0 only where the plan was chosen for its step in virtual time or for its memory. The result is
// empty where the graph is too entangled for min_marginals, or where the plan is not made of the
// choices of `pricing`. `changes` are given where the best plan with the other split costs no less
// than `plan`, and differs in at most most_told_changes units.
// @pre `pricing` was made from `blank`
PlanMargins margins(const Plan& blank, const Plan& plan, NetworkPricing& pricing);

// True if the search can make the plan layer by layer, so that margins() needs only a graph that is
// not too entangled.
bool is_made_of_choices(const Plan& plan);

}  // namespace cnnplan
