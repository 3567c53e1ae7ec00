// Plans on which the properties of schedules are tried.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

// Says which plan it is when a property does not hold.
struct NamedPlan {
  std::string name;
  Plan plan;
};

// `seeds` random networks on 1, 2, 3, 4 and 8 ranks, every batch norm with statistics of its own.
std::vector<NamedPlan> random_plans(int seeds);
// Every network of configs/ on the same rank counts: by sample, by height, and both in turn.
std::vector<NamedPlan> config_plans();
// `seeds` random chains by multigrid or in order, and as many in order on any axes.
std::vector<NamedPlan> chain_plans(int seeds);
// `seeds` random networks whose sums are made by blocks of samples, on 1, 2, 4 and 8 ranks.
std::vector<NamedPlan> block_plans(int seeds);
// All, with as many random ones as a quick test can bear.
std::vector<NamedPlan> sample_plans();

// An add that joins a unit listed before that of its other input.
Network backward_add();

// The schedules of all ranks.
std::vector<Schedule> lower_all(const Plan& plan);

}  // namespace cnnplan::test
