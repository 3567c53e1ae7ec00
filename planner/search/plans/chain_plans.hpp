// Makes plans that split residual chains by layers, run by multigrid or layer by layer.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// Holds the user's limits for multigrid. More cycles, FCF-relaxation and less coarsening come
// closer to the result of the layers in order. No model knows how close the result has to be.
struct MultigridRequest {
  int cycles = 2;  // 0 runs the layers in order, on the ranks that have them
  Relaxation relaxation = Relaxation::f;
  FirstGuess first_guess = FirstGuess::coarse;
  int partitions = 0;  // into which chains must be split; 0 allows any number, or no split
  // 0 allows the powers of two that leave least_coarse_steps, and for each a similar number that
  // shares the layers out more evenly.
  int coarsening = 0;
  int levels = 0;                     // 0 allows 2 and 3
  std::set<LayerIndex> first_layers;  // first layers of chains that may be split; empty allows all
  // This number of groups of layers runs at the same time on a rank. 0 allows all of
  // profiled_concurrencies, with which kernels were timed.
  int concurrency = 0;
  std::set<int> profiled_concurrencies{1};
};

// With fewer coarse steps, the result of two cycles is far from that of the layers in order.
inline constexpr int least_coarse_steps = 8;

// Returns plans made of `base`, one for each allowed way to split its chains: it splits all chains
// that have at least two blocks over an axis l, and over n for the rest of the ranks. Chains that
// are too short for a way, and all other layers, stay as they are. If all ranks compute some other
// layers alike, or split their channels over all ranks, a further plan comes first, with each of
// these layers on one stage.
// @throws InputError at "--coarsening" or "--levels" for a number that the longest chain cannot
// have
std::vector<ProposedPlan> chain_plans(const Plan& base, const MultigridRequest& request);

// Returns the coarsening that the user may give where chain_plans() makes no plan, because all
// chains are too short for least_coarse_steps. Returns 0 if no coarsening helps, or none is needed.
// @throws InputError as chain_plans() does
int coarsening_of_short_chains(const Plan& base, const MultigridRequest& request);

// Returns `coarsening`, or the number close to it with which the partitions share out `blocks` most
// evenly. A coarsening that leaves some partition without a coarse step is halved first. Returns 0
// if none fits.
int coarsening_for(int partitions, int coarsening, int blocks);

// Returns `plan` with some layers on groups of `ranks` stages instead of one stage, so that each
// stage of a group computes some of their outputs. The layers are fully connected ones on one stage
// with at least `ranks` outputs, and the ReLUs after them. Returns nothing if there are no such
// layers, or if `ranks` does not divide the number of stages. @pre ranks >= 2
std::optional<Plan> on_groups(const Plan& plan, int ranks);

}  // namespace cnnplan
