// A few plans of one network, priced as the search prices them.
#pragma once

#include <vector>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

class ComparedPlans {
 public:
  // The plan itself, then the plan with each of these changes. @throws InputError where these do
  // not make a plan
  ComparedPlans(const Plan& plan, const std::vector<const UnitMargin*>& margins);

  // By plan, the sum that price_network has for it, of the operations that margins are of.
  std::vector<double> sums_s(const Platform& platform, const Profile& profile) const;

 private:
  void check_own() const;
  void check_changes(const std::vector<const UnitMargin*>& margins) const;
  void add(const SearchUnit& unit, const std::vector<const UnitMargin*>& margins);

  Plan plan_;
  Plan blank_;
  SplitChoices choices_;  // no more than these plans take
  std::vector<Assignment> assignments_;
};

}  // namespace cnnplan
