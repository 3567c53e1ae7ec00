// Says which part of the search proposed a plan. The names of plans are printed from it.
#pragma once

#include <string>
#include <variant>

#include "planner/plan/plan.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Describes a plan with one split for all layers that may take it.
struct UniformOrigin {
  Split split;
  bool recomputed = false;  // outputs of batch norms are computed again in backpropagation
  bool operator==(const UniformOrigin&) const = default;
};

// Says how the search over splits found a plan: by which criterion or method.
enum class SearchOrigin {
  shortest_path,
  least_additive_cost,
  longest_path_first,
  least_work_of_a_rank,
  near_tie,
  least_cost_that_fits,
  least_memory,
};

// Describes a plan that splits residual chains by layers.
struct ChainOrigin {
  Mesh mesh;
  int coarsening = 1;
  int levels = 0;  // 0 means that the chains run in order, without multigrid
  int concurrency = 1;
  bool others_by_stage = false;  // layers outside of chains are on one stage each
  bool operator==(const ChainOrigin&) const = default;
};

// The plan is the fastest one by stages, with fully connected layers on groups of stages.
struct GroupOrigin {
  int stages = 2;  // of a group
  bool operator==(const GroupOrigin&) const = default;
};

struct PlanOrigin {
  std::variant<UniformOrigin, SearchOrigin, ChainOrigin, GroupOrigin> proposal;
  bool interior_first = false;  // halos are exchanged while the interiors are computed
  bool operator==(const PlanOrigin&) const = default;
};

// Writes the name that reports have for the plan, such as "n2h2", "near tie" or
// "multigrid n2l4, coarsening 16, 2 levels, others by stage".
std::string to_text(const PlanOrigin& origin);

// True for plans that split chains by layers and have other layers on one stage each.
bool has_others_by_stage(const PlanOrigin& origin);

}  // namespace cnnplan
