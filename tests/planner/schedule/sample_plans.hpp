// Makes plans on which tests try properties of schedules.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

// Names the plan, so that a failing test says which plan it is.
struct NamedPlan {
  std::string name;
  Plan plan;
};

// Returns plans of `seeds` random networks on 1, 2, 3, 4 and 8 ranks. Batch norms have different
// statistics.
std::vector<NamedPlan> random_plans(int seeds);
// Returns plans of every network of configs/ on these numbers of ranks: by sample, by height, and
// by both in turn.
std::vector<NamedPlan> config_plans();
// Returns plans of `seeds` random chains by multigrid or in order, and of as many chains in order
// on any axes.
std::vector<NamedPlan> chain_plans(int seeds);
// Returns plans of `seeds` random networks whose sums are made by blocks of samples, on 1, 2, 4 and
// 8 ranks.
std::vector<NamedPlan> block_plans(int seeds);
// Returns plans of gated_network() by every axis, and with meshes that change.
std::vector<NamedPlan> gated_plans();
// Returns plans of all kinds, with as many random ones as a quick test has time for.
std::vector<NamedPlan> sample_plans();

// Returns a network with an add that joins a unit listed before the unit of its other input.
Network backward_add();

// Returns a network with a gate for each channel of an image of 8x8, and with products of images.
Network gated_network();

// Returns the schedules of all ranks.
std::vector<Schedule> lower_all(const Plan& plan);

}  // namespace cnnplan::test
