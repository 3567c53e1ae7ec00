// The splits that every search unit may take, and the plans that follow from a choice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/candidates/search_units.hpp"

namespace cnnplan {

struct UnitSplits {
  SearchUnit unit;
  std::vector<Split> splits;  // the most sample-parallel first
  // By split, whether the unit's outputs are computed again in backpropagation, as far as that
  // takes no more than the input that is kept anyway (recomputes_cheaply). Empty: nowhere.
  std::vector<bool> recompute{};

  bool may_take(const Split& split) const {
    return std::find(splits.begin(), splits.end(), split) != splits.end();
  }
  bool recomputes(std::size_t choice) const { return !recompute.empty() && recompute[choice]; }
};

// Batch norms, which keep their input in any case, but for those that end a residual block.
bool recomputes_cheaply(const Network& network, LayerIndex layer);
// `plan` with all of these layers computed again.
Plan recomputed(Plan plan);

// All that split a tensor: n c d h w.
std::vector<Axis> search_axes();

// Up to so many ranks, channels are split together with any other axes, and every layer may be
// stationary_w; beyond, with samples only, and fully connected layers may: all combinations would
// take several times as long to price.
inline constexpr int most_ranks_for_all_channel_splits = 16;

struct SplitChoices {
  std::vector<UnitSplits> units;
  std::int64_t pruned = 0;  // factorisations that would leave ranks without work
};

// Over the axes among `axes` of every unit's output (with r where nothing else fits), and r alone.
// Where channels are split and the unit begins with a layer that mixes them, with each algorithm
// that the layer allows. Axes are in the order n c d h w r; where the ranks fill several nodes,
// fully connected layers are also split with c before n.
SplitChoices split_choices(const Plan& plan, const std::vector<Axis>& axes = search_axes());
// The same, each split a second time behind them where the unit has outputs to compute again.
SplitChoices split_choices_with_recompute(const Plan& plan,
                                          const std::vector<Axis>& axes = search_axes());

// `blank` with `split` for every layer that may be split so.
Plan all_on(const Plan& blank, const Split& split);
// `blank` with split choices[unit] for every unit.
Plan plan_of(const Plan& blank, const SplitChoices& choices, const std::vector<int>& assignment);
// By unit, the index of `split` among its choices, else of its mesh, else 0.
std::vector<int> mostly_on(const SplitChoices& choices, const Split& split);
// `blank` with `split` for every unit that may take it, and the first of the others. Where no
// unit may, `split` for all: some ranks then own nothing.
Plan mostly_on(const Plan& blank, const SplitChoices& choices, const Split& split);
// The splits that any unit may take, each once.
std::vector<Split> all_splits(const SplitChoices& choices);
// Plans mostly on each of all_splits, so that every unit takes each of its splits at least once:
// whoever profiles their kernels has profiled what any plan needs.
std::vector<Plan> covering_plans(const Plan& blank, const std::vector<Axis>& axes = search_axes());

}  // namespace cnnplan
