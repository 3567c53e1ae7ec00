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

enum class SearchMethod { automatic, shortest_path, longest_path_first };

// Whether outputs of batch norms may be computed again in backpropagation instead of being kept.
enum class Recompute { never, where_needed, always };

struct SolveRequest {
  Network network;
  int ranks = 1;
  std::int64_t batch = 1;
  Precision precision = Precision::fp32;
  Platform platform;
  Profile profile;  // empty: every kernel is estimated
  BatchNormStatistics statistics = BatchNormStatistics::spatial;
  SearchMethod method = SearchMethod::automatic;
  std::vector<Axis> axes = search_axes();           // over which layers may be split, beside r
  Recompute recompute = Recompute::where_needed;    // where the fastest plan does not fit
  std::int64_t bucket_bytes = Plan{}.bucket_bytes;  // of gradients
  std::optional<AllreduceAlgorithm> allreduce;      // of gradients; empty: by price
  bool sharded_update = false;                      // as in Plan
  int sample_blocks = 1;  // likewise; more than 1: `uniform` and `statistics` are those it asks for
  bool overlap = false;   // halos and reductions run beside kernels, as far as the platform can
  bool only_profiled = false;  // no kernels that the profile lacks for interiors and strips
  std::optional<MultigridRequest> multigrid;  // set: residual chains may be split by layers
  std::optional<Mesh> uniform;                // set: no search, every layer on this mesh
};

// The best plan found, with its prediction. What the search finds (the shortest path; with branches
// the exact optimum of the additive cost, or where they are too entangled, the longest path first),
// the plans behind the bound, near ties of the fastest of these, sample parallelism, and of the
// four cheapest uniform splits those that may win yet, are scored in virtual time; the fastest that
// fits wins, so that no plan is predicted slower than pure sample parallelism where that fits.
// With overlap, convolutions of the fastest may compute their interior while halos travel.
// Where the fastest plan by additive costs does not fit, the fastest is looked for that keeps
// little enough for backpropagation, with and without outputs that are computed again there.
// @throws InfeasibleError when none of these fits into the platform's memory
// @throws InputError for a uniform mesh of another number of ranks, or shortest_path on branches
Plan solve(const SolveRequest& request);

}  // namespace cnnplan
