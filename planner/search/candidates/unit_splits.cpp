// Lists the splits of units, and makes plans from chosen splits.
#include "planner/search/candidates/unit_splits.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "planner/network/enumerators.hpp"
#include "planner/search/candidates/candidates.hpp"

namespace cnnplan {
namespace {

int index_or_first(const std::vector<Split>& splits, const Split& split) {
  const auto found = std::find(splits.begin(), splits.end(), split);
  return found == splits.end() ? 0 : static_cast<int>(found - splits.begin());
}

bool has(const std::vector<Split>& splits, const Split& split) {
  return std::find(splits.begin(), splits.end(), split) != splits.end();
}

// Adds the split with which every rank computes everything. It saves the reduction of gradients,
// which takes most of the time of layers with many parameters and little to compute.
void add_replicated(std::vector<Split>& splits, int ranks) {
  const Split replicated{.mesh = Mesh({{Axis::r, ranks}})};
  if (!has(splits, replicated)) splits.push_back(replicated);
}

// True if some rank would have no channels of the input to work on.
bool has_idle_parts(const Network& network, LayerIndex layer, const Split& split) {
  const LayerIndex input = network.inputs_of(layer)[0];
  return input_parts(split.channel_algorithm, split.mesh.size(Axis::c)) >
         network.output_shape(input, 1)[Dim::c];
}

// On many ranks, only layers with large weights, compared with their inputs and outputs, have their
// weights cut in both directions.
bool is_candidate(const LayerParameters& parameters, const Split& split) {
  return split.channel_algorithm != ChannelAlgorithm::stationary_w ||
         split.mesh.rank_count() <= most_ranks_for_all_channel_splits ||
         std::holds_alternative<FullyConnected>(parameters);
}

// Adds `mesh`, which splits channels, with every algorithm that a layer allows.
void add_channel_splits(const Network& network,
                        LayerIndex layer,
                        const Mesh& mesh,
                        std::vector<Split>& splits) {
  const bool mixes = mixes_channels(network.layer(layer).parameters);
  for (const ChannelAlgorithm algorithm : Enumerators<ChannelAlgorithm>::all) {
    const Split split{.mesh = mesh, .channel_algorithm = algorithm};
    if (!mixes && split.channel_algorithm != Split{}.channel_algorithm) continue;
    if (!is_candidate(network.layer(layer).parameters, split)) continue;
    const int parts = mesh.size(Axis::c);
    if (!channel_split_refusal(network, layer, parts, algorithm).empty()) continue;
    if (!mixes || !has_idle_parts(network, layer, split)) splits.push_back(split);
  }
}

bool splits_positions_of_a_sample(const Mesh& mesh) {
  return mesh.size(Axis::d) * mesh.size(Axis::h) * mesh.size(Axis::w) > 1;
}

// True if `mesh` is one of the candidates that split channels.
bool is_channel_candidate(const Mesh& mesh) {
  if (mesh.size(Axis::c) == 1 || mesh.size(Axis::r) > 1) return false;
  return mesh.rank_count() <= most_ranks_for_all_channel_splits ||
         !splits_positions_of_a_sample(mesh);
}

// Returns `mesh` with channels before samples, if it splits both. Ranks with equal channels are
// then neighbours, so that reductions of their gradients stay inside nodes more often. That helps
// fully connected layers, which have many weights compared with their activations.
std::optional<Mesh> with_channels_first(const Plan& plan, LayerIndex layer, const Mesh& mesh) {
  const bool has_nodes = plan.ranks_per_node > 1 && plan.ranks_per_node < plan.ranks;
  const int samples = mesh.size(Axis::n);
  const int channels = mesh.size(Axis::c);
  const bool has_both = samples > 1 && channels > 1;
  const LayerParameters& parameters = plan.network.layer(layer).parameters;
  const bool has_many_weights = std::holds_alternative<FullyConnected>(parameters);
  if (!has_nodes || !has_both || !has_many_weights) return std::nullopt;
  return Mesh({{Axis::c, channels}, {Axis::n, samples}});
}

// Enumerates the meshes of every shape once, because the units of a deep network have few shapes.
class KnownMeshes {
 public:
  explicit KnownMeshes(int ranks) : ranks_(ranks) {}

  // Returns enumerate_meshes() of these arguments. The result stays valid as long as this object.
  const MeshCandidates& of(const Shape& shape, const std::vector<Axis>& axes) {
    const auto [entry, is_new] = known_.try_emplace({shape, axes});
    if (is_new) entry->second = enumerate_meshes(shape, ranks_, axes);
    return entry->second;
  }

 private:
  int ranks_;
  std::map<std::pair<Shape, std::vector<Axis>>, MeshCandidates> known_;
};

// Lists the splits over n d h w, then the splits over channels, then the replicated one.
UnitSplits splits_of(const Plan& plan,
                     const SearchUnit& unit,
                     const std::vector<Axis>& axes,
                     KnownMeshes& meshes,
                     std::int64_t& pruned) {
  const Shape shape = plan.network.output_shape(unit.head(), plan.batch);
  std::vector<Axis> positions = axes;
  std::erase(positions, Axis::c);
  const MeshCandidates& by_position = meshes.of(shape, positions);
  UnitSplits choice{.unit = unit, .splits = {}};
  for (const Mesh& mesh : by_position.meshes) choice.splits.push_back({.mesh = mesh});
  const bool has_channels = positions.size() < axes.size();
  if (has_channels) {
    for (const Mesh& mesh : meshes.of(shape, axes).meshes) {
      if (!is_channel_candidate(mesh)) continue;
      add_channel_splits(plan.network, unit.head(), mesh, choice.splits);
      if (const auto other_way = with_channels_first(plan, unit.head(), mesh)) {
        add_channel_splits(plan.network, unit.head(), *other_way, choice.splits);
      }
    }
  }
  pruned += meshes.of(shape, has_channels ? axes : positions).pruned;
  add_replicated(choice.splits, plan.ranks);
  return choice;
}

// Returns the splits among which units find the mesh. Where all axes are tried, splits with r are
// left out if another axis gives all ranks work of their own.
SplitChoices choices_with(const Plan& blank, const Mesh& mesh) {
  std::vector<Axis> axes = search_axes();
  std::erase_if(axes, [&](Axis axis) { return mesh.size(axis) == 1; });
  const bool repeats = mesh.size(Axis::r) > 1 && !axes.empty();
  return repeats ? split_choices(blank, axes) : split_choices(blank);
}

}  // namespace

std::vector<Axis> search_axes() {
  return {Axis::n, Axis::c, Axis::d, Axis::h, Axis::w};
}

SplitChoices split_choices(const Plan& plan, const std::vector<Axis>& axes) {
  SplitChoices choices;
  KnownMeshes meshes(plan.ranks);
  for (const SearchUnit& unit : search_units(plan.network)) {
    choices.units.push_back(splits_of(plan, unit, axes, meshes, choices.pruned));
  }
  return choices;
}

bool recomputes_cheaply(const Network& network, LayerIndex layer) {
  if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) return false;
  const auto& consumers = network.consumers_of(layer);
  return std::none_of(consumers.begin(), consumers.end(), [&](LayerIndex consumer) {
    return std::holds_alternative<Add>(network.layer(consumer).parameters);
  });
}

Plan recomputed(Plan plan) {
  for (const LayerIndex layer : plan.network.layers().indices()) {
    if (!recomputes_cheaply(plan.network, layer)) continue;
    plan.layers[layer].recompute = true;
  }
  return plan;
}

SplitChoices split_choices_with_recompute(const Plan& plan, const std::vector<Axis>& axes) {
  SplitChoices choices = split_choices(plan, axes);
  for (UnitSplits& unit : choices.units) {
    const auto& layers = unit.unit.layers;
    const bool can = std::any_of(layers.begin(), layers.end(), [&](LayerIndex layer) {
      return recomputes_cheaply(plan.network, layer);
    });
    if (!can) continue;
    const std::size_t kept = unit.splits.size();
    unit.splits.reserve(2 * kept);
    for (std::size_t i = 0; i < kept; ++i) unit.splits.push_back(unit.splits[i]);
    unit.recompute.assign(2 * kept, false);
    std::fill(
        unit.recompute.begin() + static_cast<std::ptrdiff_t>(kept), unit.recompute.end(), true);
  }
  return choices;
}

Plan all_on(const Plan& blank, const Split& split) {
  Plan plan = blank;
  const int parts = split.mesh.size(Axis::c);
  for (const LayerIndex layer : plan.network.layers().indices()) {
    Split own = split;
    if (!mixes_channels(plan.network.layer(layer).parameters)) own = {.mesh = split.mesh};
    const auto algorithm = own.channel_algorithm;
    if (!channel_split_refusal(plan.network, layer, parts, algorithm).empty()) continue;
    plan.layers[layer].set(own);
  }
  return plan;
}

Plan plan_of(const Plan& blank, const SplitChoices& choices, const std::vector<int>& assignment) {
  Plan plan = blank;
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    const std::size_t choice = assignment[unit];
    const Split& split = choices.units[unit].splits[choice];
    for (LayerIndex layer : choices.units[unit].unit.layers) {
      LayerPlan& layer_plan = plan.layers[layer];
      const bool is_head = layer == choices.units[unit].unit.head();
      layer_plan.set(is_head ? split : Split{.mesh = split.mesh});
      if (!choices.units[unit].recomputes(choice)) continue;
      layer_plan.recompute = recomputes_cheaply(plan.network, layer);
    }
  }
  return plan;
}

std::vector<int> mostly_on(const SplitChoices& choices, const Split& split) {
  std::vector<int> assignment;
  for (const UnitSplits& unit : choices.units) {
    const int first_on_mesh = index_or_first(unit.splits, {.mesh = split.mesh});
    assignment.push_back(unit.may_take(split) ? index_or_first(unit.splits, split) : first_on_mesh);
  }
  return assignment;
}

Plan mostly_on(const Plan& blank, const SplitChoices& choices, const Split& split) {
  const auto admits = [&split](const UnitSplits& unit) { return unit.may_take(split); };
  if (std::none_of(choices.units.begin(), choices.units.end(), admits)) return all_on(blank, split);
  return plan_of(blank, choices, mostly_on(choices, split));
}

Plan mostly_on(const Plan& blank, const Mesh& mesh) {
  return mostly_on(blank, choices_with(blank, mesh), {.mesh = mesh});
}

Plan entirely_on(const Plan& blank, const SplitChoices& choices, const Split& split) {
  for (const UnitSplits& unit : choices.units) {
    if (unit.may_take(split)) continue;
    throw std::logic_error(blank.network.layer(unit.unit.head()).name + " may not take " +
                           to_text(split));
  }
  return plan_of(blank, choices, mostly_on(choices, split));
}

std::vector<Split> all_splits(const SplitChoices& choices) {
  std::vector<Split> splits;
  for (const UnitSplits& unit : choices.units) {
    for (const Split& split : unit.splits) {
      if (!has(splits, split)) splits.push_back(split);
    }
  }
  return splits;
}

}  // namespace cnnplan
