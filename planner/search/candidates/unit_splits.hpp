// Lists the splits that every search unit may take, and makes the plans that follow from a choice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/candidates/search_units.hpp"

namespace cnnplan {

// Holds the candidates of a unit: its splits, each with or without recomputation.
struct UnitSplits {
  SearchUnit unit;
  // Splits over n d h w come first, the largest n first. Splits of channels follow, then r alone.
  std::vector<Split> splits;
  // Says for each split whether outputs of the unit are computed again in backpropagation, where
  // this needs only inputs that are kept anyway (recomputes_cheaply). Empty means that none are.
  std::vector<bool> recompute{};

  // True if a candidate has this split.
  bool may_take(const Split& split) const {
    return std::find(splits.begin(), splits.end(), split) != splits.end();
  }
  // True if the candidate of this index computes outputs again.
  bool recomputes(std::size_t choice) const { return !recompute.empty() && recompute[choice]; }
};

// True for batch norms, which keep their input in any case. It is false where an add reads the
// output: computing the sum again would need the sum of the residual block before it, and so on.
bool recomputes_cheaply(const Network& network, LayerIndex layer);
// Returns `plan` with the outputs of all layers computed again for which recomputes_cheaply is
// true.
Plan recomputed(Plan plan);

// Returns all axes that split a tensor: n c d h w.
std::vector<Axis> search_axes();

// Up to this number of ranks, channels are split together with any other axes, and every layer may
// be stationary_w. On more ranks, channels are split together with samples only, and only fully
// connected layers may be stationary_w. Pricing all combinations would take several times as long.
inline constexpr int most_ranks_for_all_channel_splits = 16;

// Holds the candidates of all units of a network.
struct SplitChoices {
  std::vector<UnitSplits> units;  // in the order of search_units()
  std::int64_t pruned = 0;        // factorisations that would leave ranks without work
};

// Returns the splits of every unit's output over `axes` (with r where nothing else fits), and r
// alone. `plan` gives network, batch, ranks and ranks per node; its splits do not matter. If
// channels are split and the unit begins with a layer that mixes them, each algorithm of the layer
// makes a split. Axes are in the order n c d h w r. If the ranks fill several nodes, fully
// connected layers are also split with c before n.
SplitChoices split_choices(const Plan& plan, const std::vector<Axis>& axes = search_axes());
// Returns the splits of split_choices. If a unit has outputs to compute again, its splits follow a
// second time with these outputs computed again.
SplitChoices split_choices_with_recompute(const Plan& plan,
                                          const std::vector<Axis>& axes = search_axes());

// Returns `blank` with `split` for every layer that may have it. Layers that do not mix channels
// take only its mesh. Layers that may not have it keep the split of `blank`.
Plan all_on(const Plan& blank, const Split& split);
// Returns `blank` with the assigned candidate for every unit. The head of a unit has the split, and
// the other layers have its mesh. A candidate that recomputes does so in the layers for which
// recomputes_cheaply is true.
// @pre there is one valid candidate per unit
Plan plan_of(const Plan& blank, const SplitChoices& choices, const std::vector<int>& assignment);
// Returns by unit the index of `split` among its choices. If it is none of them, returns the index
// of its mesh with the default channel algorithm. A unit that lacks this, too, takes its first
// choice, which has the most parts by samples. `solve --uniform` names the layers of such units.
std::vector<int> mostly_on(const SplitChoices& choices, const Split& split);
// Returns `blank` with the choices of mostly_on(choices, split). If no unit may take `split`,
// returns all_on(blank, split), in which some ranks own nothing.
Plan mostly_on(const Plan& blank, const SplitChoices& choices, const Split& split);
// Returns the plan of `solve --uniform` with this mesh, whose kernels `profile --uniform` times. It
// is mostly_on() the mesh, where every unit may take any of its splits, whatever axes are searched.
// @pre the mesh has as many ranks as `blank`
Plan mostly_on(const Plan& blank, const Mesh& mesh);
// Returns `blank` with `split` for every unit. It suits splits over samples alone: units share the
// batch, so they all list the same ones.
// @throws std::logic_error for a unit that may not take `split`
Plan entirely_on(const Plan& blank, const SplitChoices& choices, const Split& split);
// Returns the splits that any unit may take, each once.
std::vector<Split> all_splits(const SplitChoices& choices);

}  // namespace cnnplan
