// Prices a few plans of one network as the search prices them.
#pragma once

#include <vector>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Holds a plan and the plans that its margins compare it with.
class ComparedPlans {
 public:
  // Takes the plan, and the plan with the changes of each margin. @throws InputError where changes
  // do not make a valid plan or name a layer that heads no search unit, or where layers of one
  // search unit have different splits
  ComparedPlans(const Plan& plan, const std::vector<const UnitMargin*>& margins);

  // Returns the total cost of the plan, and then of each runner-up, in the cost graph that
  // price_network() makes for this machine. Costs are sums over the operations over which the
  // plan's margins were taken (Prediction::margins_sum).
  // @throws InputError where margins_sum is over a rank that is none of probe_ranks
  std::vector<double> sums_s(const Platform& platform, const Profile& profile) const;

 private:
  void check_own() const;
  void check_changes(const std::vector<const UnitMargin*>& margins) const;
  void add(const SearchUnit& unit, const std::vector<const UnitMargin*>& margins);

  Plan plan_;
  Plan blank_;
  SplitChoices choices_;  // only the splits that these plans take
  std::vector<Assignment> assignments_;
};

}  // namespace cnnplan
