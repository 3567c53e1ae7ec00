// Finds a plan: prices, search, re-scoring in virtual time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/plans/chain_plans.hpp"

namespace cnnplan {

// Says how the search over splits solves the cost graph. `automatic` finds the optimum, or takes
// the longest path first where branches are too entangled. `shortest_path` uses Boost.Graph, for
// networks without branches. `longest_path_first` is the method of Dryden et al. 2019.
enum class SearchMethod { automatic, shortest_path, longest_path_first };

// Says whether backpropagation may compute outputs of batch norms again instead of keeping them.
enum class Recompute { never, where_needed, always };

// Holds the task of a search.
struct SolveRequest {
  Network network;
  int ranks = 1;
  std::int64_t batch = 1;  // global mini-batch
  Precision precision = Precision::fp32;
  Platform platform;
  Profile profile;  // empty: every kernel is estimated
  BatchNormStatistics statistics = BatchNormStatistics::spatial;
  SearchMethod method = SearchMethod::automatic;
  std::vector<Axis> axes = search_axes();           // layers may be split over these and r
  Recompute recompute = Recompute::where_needed;    // where the fastest plan does not fit
  std::int64_t bucket_bytes = Plan{}.bucket_bytes;  // of gradients
  std::optional<AllreduceAlgorithm> allreduce;      // of gradients; empty: by price
  bool sharded_update = false;                      // as in Plan
  int optimizer_state_bytes = 0;                    // as in Plan
  int sample_blocks = 1;       // as in Plan; above 1, `uniform` over n and `statistics` global
  bool overlap = false;        // halos and reductions run while kernels do, if the platform can
  bool only_profiled = false;  // no kernels that the profile lacks for interiors and strips
  std::optional<MultigridRequest> multigrid;  // if set, residual chains may be split by layers
  std::optional<Mesh> uniform;                // if set, no search: all layers that may take it
};

// Holds the result of a search.
struct Solution {
  Plan plan;
  std::optional<Plan>
      next;  // the fastest other plan that was scored and fits, without a prediction
};

// Returns the best plan found, with its prediction. These plans are scored in virtual time:
// - The search finds the shortest path of a line. With branches, it finds the optimum of the
//   additive cost, or the longest path first where the branches are too entangled.
// - For each probed rank, one plan gives this rank the least work, from which the bound follows.
//   Near ties of the fastest of all these plans follow.
// - Sample parallelism is scored. Of the four uniform splits with the least additive cost, those
//   are scored whose least work is below the fastest step so far.
// With `multigrid`, plans that split residual chains by layers are scored, too. The fastest that
// fits wins. The result is thus no slower than sample parallelism where that fits, unless
// `multigrid` demands a number of partitions. With `uniform`, only one plan is made (mostly_on).
// With overlap, the fastest plans of the search without overlap are scored with it first. So the
// result is no slower than the plan without overlap would be with it, where that fits.
// Convolutions of the fastest plan may also compute their interior while halos travel.
// Where the fastest plan by additive costs does not fit, the search looks for the fastest plan that
// keeps little enough for backpropagation, with and without outputs that are computed again there.
// @throws InfeasibleError when none of these fits into the platform's memory
// @throws InputError for a uniform mesh of another number of ranks, shortest_path on branches, or
// partitions, coarsening or levels that no chain can have
Plan solve(const SolveRequest& request);
// Returns the result of solve() and the plan that came second. @throws as solve() does
Solution solution_of(const SolveRequest& request);

// Returns a sentence with the coarsening by which multigrid could split chains that are too short
// for the coarsenings that solve() tries. The text is empty if multigrid is not allowed, or if no
// coarsening helps or is needed.
// @throws InputError for a coarsening or levels that the longest chain cannot have
std::string short_chain_advice(const SolveRequest& request);

}  // namespace cnnplan
