// Makes plans whose kernels are all the kernels that any plan of the search needs.
#pragma once

#include <vector>

#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan::test {

// Returns a plan mostly on each of all_splits, so that every unit takes each of its splits at least
// once.
inline std::vector<Plan> covering_plans(const Plan& blank) {
  const SplitChoices choices = split_choices(blank);
  std::vector<Plan> plans;
  for (const Split& split : all_splits(choices)) plans.push_back(mostly_on(blank, choices, split));
  return plans;
}

}  // namespace cnnplan::test
