// Plans that split residual chains by layers: run by multigrid, or layer by layer.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// What the user allows of multigrid. More cycles, FCF-relaxation and less coarsening come closer to
// what the layers would compute one after the other; how close it has to be, no model knows.
struct MultigridRequest {
  int cycles = 2;  // 0: layer by layer, on the ranks that have them
  Relaxation relaxation = Relaxation::f;
  FirstGuess first_guess = FirstGuess::coarse;
  int partitions = 0;  // that the ranks have to split chains into; 0: any, or none
  // 0: any power of two that leaves least_coarse_steps, and beside it one that shares the layers
  // out more evenly.
  int coarsening = 0;
  int levels = 0;                     // 0: 2 or 3
  std::set<LayerIndex> first_layers;  // of the chains that may be split; empty: all
  // Groups of layers of a rank that run at the same time; 0: any of those that were profiled.
  int concurrency = 0;
  std::set<int> profiled_concurrencies{1};
};

// How names of plans end whose other layers are on one stage each.
inline constexpr const char* others_by_stage = ", others by stage";

// With fewer, two cycles are far from the layers' own result.
inline constexpr int least_coarse_steps = 8;

// `base` with all of its chains of at least two blocks split over an axis l, and over n for the
// rest of the ranks, in every way that is allowed. Other layers stay as they are; those that all
// ranks compute alike also each on one stage.
// @throws InputError for a coarsening or levels that the longest chain has not
std::vector<NamedPlan> chain_plans(const Plan& base, const MultigridRequest& request);

// The coarsening among `coarsening` and those close to it with which so many partitions share
// `blocks` out most evenly; the next that leaves a coarse step for each where it does not. 0: none.
int coarsening_for(int partitions, int coarsening, int blocks);

// `plan` with fully connected layers that are on one stage on a group of so many stages instead,
// each of which computes some of the outputs, and ReLUs behind them. Nothing where there are none,
// or the stages are not a multiple of the group. @pre ranks >= 2
std::optional<Plan> on_groups(const Plan& plan, int ranks);

}  // namespace cnnplan
