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
  // This is the sum in which the plan exceeds the cheapest assignment by the smallest share. It is
  // over the slowest ranks or, without overlap, over the first, the middle or the last rank
  // (probe_ranks). Of equal sums, the first in this order is taken.
  OperationSum sum;
};

// Returns for each unit of `pricing` the best other split. A unit has none if transfers with any
// other split surely take longer than a step may. Its margin says how much more all costs are in
// sum with it than with the plan's choice, when all other units adapt to either. A margin is below
// 0 only where the plan was chosen for its step in virtual time or for its memory. The result is
// empty where the graph is too entangled for MinMarginals, or where the plan is not made of the
// choices of `pricing`. `changes` are given where the best plan with the other split costs no less
// than `plan`, and differs in at most most_told_changes units. `blank` has the network and the
// settings of `plan`; its splits do not matter. @pre `pricing` was made from `blank`
PlanMargins margins(const Plan& blank, const Plan& plan, NetworkPricing& pricing);

// True if every layer has what some choice among split_choices() or split_choices_with_recompute()
// gives it, methods of halos and gathers aside. margins() is then empty only if the graph is too
// entangled.
bool is_made_of_choices(const Plan& plan);

}  // namespace cnnplan
