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
  shortest_path,         // the optimum of a network without branches
  least_additive_cost,   // the optimum of a network with branches
  longest_path_first,    // longest_path_first()
  least_work_of_a_rank,  // the choices that are best for one probed rank (StepLowerBound)
  near_tie,              // add_near_ties()
  least_cost_that_fits,  // the optimum among assignments that keep little enough memory
  least_memory,          // the assignment that keeps least memory
};

// Describes a plan that splits residual chains by layers.
struct ChainOrigin {
  Mesh mesh;  // of the chains
  int coarsening = 1;
  int levels = 0;                // 0 means that the chains run in order, without multigrid
  int concurrency = 1;           // groups of layers that run at the same time on a rank
  bool others_by_stage = false;  // layers outside of chains are on one stage each
  bool operator==(const ChainOrigin&) const = default;
};

// Describes the fastest plan by stages, changed by on_groups().
struct GroupOrigin {
  int stages = 2;  // of a group
  bool operator==(const GroupOrigin&) const = default;
};

// Describes where a plan comes from.
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
