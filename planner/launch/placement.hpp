// Says where the ranks of a plan run: how many share a node, and how many cores and GPUs they need.
#pragma once

#include <optional>
#include <string>

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// A rank with a GPU starts kernels and sends messages on one core, and reads data ahead on another.
inline constexpr int cores_of_gpu = 2;

// Places consecutive ranks on nodes, which have equally many ranks.
struct Placement {
  int ranks = 1;
  int ranks_per_node = 1;    // divides `ranks`
  int threads_per_rank = 1;  // of each kernel on cores
  int cores_per_rank = 1;
  int gpus_per_node = 0;  // 0: the ranks compute on cores

  int nodes() const { return ranks / ranks_per_node; }
  bool operator==(const Placement&) const = default;
};

// Returns the placement for which the plan was priced. `platform` is the platform that the plan was
// made from, and absent if it is not at hand. Then the plan alone says which ranks share a node. A
// rank gets a core for each thread of each group of layers that it runs at the same time. If the
// plan is for GPUs, it gets a GPU and cores_of_gpu cores. `plan_file` names the plan in errors.
// @throws InputError if the ranks do not fill the nodes
Placement placement_of(const Plan& plan,
                       const std::optional<Platform>& platform,
                       const std::string& plan_file);

// Returns a warning if placement_of() refuses the plan because its ranks do not fill nodes. Else it
// returns an empty text.
std::string unfilled_nodes_text(const Plan& plan);

// Says along which axes of the mesh that most layers have neighbours share a node.
// @pre the plan has a layer
std::string neighbours_text(const Plan& plan, int ranks_per_node);

}  // namespace cnnplan
