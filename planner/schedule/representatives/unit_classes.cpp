// Groups units by their own properties, and then by the classes of the units around them.
#include "planner/schedule/representatives/unit_classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "planner/schedule/blocks/exchange.hpp"

namespace cnnplan {
namespace {

// A kernel looks at the inputs and gradients of the units that are next to its own unit.
constexpr int reach = 2;

// Describes one input as its reader sees it.
struct InputKey {
  Shape shape;
  std::int64_t first_channel = 0;
  bool gradient = false;
  auto operator<=>(const InputKey&) const = default;
};

struct UnitKey {
  LayerParameters parameters;
  std::vector<InputKey> inputs;
  Shape output;
  Split split;
  SlicedGradient sliced{};
  BatchNormStatistics statistics = BatchNormStatistics::spatial;
  std::map<KernelPhase, KernelAlgorithm> algorithms;
  bool recompute = false;
  HaloMethod halo = HaloMethod::exchange_first;
  bool relu = false;
  bool residual = false;
  bool gradient = false;
  bool dense_gradient = false;
  bool main_loss = false;  // its input is kept
  bool operator<(const UnitKey& other) const {
    const auto fields = [](const UnitKey& key) {
      return std::tie(key.parameters,
                      key.inputs,
                      key.output,
                      key.split,
                      key.sliced,
                      key.statistics,
                      key.algorithms,
                      key.recompute,
                      key.halo,
                      key.relu,
                      key.residual,
                      key.gradient,
                      key.dense_gradient,
                      key.main_loss);
    };
    return fields(*this) < fields(other);
  }
};

UnitKey key_of(const FusedUnits& fused, const Unit& unit) {
  const Plan& plan = fused.plan();
  const Network& network = plan.network;
  const LayerPlan& layer_plan = plan.layers[unit.head];
  UnitKey key{.parameters = network.layer(unit.head).parameters,
              .inputs = {},
              .output = network.output_shape(unit.last, plan.batch),
              .split = layer_plan.split(),
              .sliced = fused.sliced_gradient(unit.head),
              .statistics = layer_plan.statistics,
              .algorithms = layer_plan.algorithms,
              .recompute = layer_plan.recompute,
              .halo = layer_plan.halo,
              .relu = unit.relu,
              .residual = unit.residual,
              .gradient = fused.requires_gradient(unit.last),
              .dense_gradient = fused.needs_dense_gradient(unit.last),
              .main_loss = unit.head == network.loss_layer()};
  const std::size_t own_inputs = network.inputs_of(unit.head).size();
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) {
    const LayerIndex source = unit.inputs[i];
    key.inputs.push_back({.shape = network.output_shape(source, plan.batch),
                          .first_channel = i < own_inputs ? network.first_channel(unit.head, i) : 0,
                          .gradient = fused.requires_gradient(source)});
  }
  return key;
}

// Returns by unit the first unit with an equal key.
template <typename KeyOf>
std::vector<std::size_t> first_with_key(std::size_t units, const KeyOf& key_of_unit) {
  std::map<decltype(key_of_unit(0)), std::size_t> firsts;
  std::vector<std::size_t> first;
  for (std::size_t unit = 0; unit < units; ++unit) {
    first.push_back(firsts.try_emplace(key_of_unit(unit), unit).first->second);
  }
  return first;
}

void add_neighbours(const std::vector<std::vector<std::size_t>>& neighbours,
                    const std::vector<bool>& from,
                    std::vector<bool>& to) {
  for (std::size_t unit = 0; unit < from.size(); ++unit) {
    if (!from[unit]) continue;
    for (std::size_t other : neighbours[unit]) to[other] = true;
  }
}

}  // namespace

UnitClasses::UnitClasses(const FusedUnits& fused) {
  const std::vector<Unit>& units = fused.units();
  inputs_.resize(units.size());
  readers_.resize(units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    for (LayerIndex source : units[unit].inputs) {
      const std::size_t from = fused.index_of(fused.unit_of(source));
      inputs_[unit].push_back(from);
      readers_[from].push_back(unit);
    }
  }
  representatives_ =
      first_with_key(units.size(), [&](std::size_t unit) { return key_of(fused, units[unit]); });
  const auto classes_of = [this](const std::vector<std::size_t>& others) {
    std::vector<std::size_t> classes;
    for (std::size_t other : others) classes.push_back(representatives_[other]);
    return classes;
  };
  for (int round = 0; round < neighbourhood; ++round) {
    representatives_ = first_with_key(units.size(), [&](std::size_t unit) {
      std::vector<std::size_t> readers = classes_of(readers_[unit]);
      std::sort(readers.begin(), readers.end());
      return std::tuple(representatives_[unit], classes_of(inputs_[unit]), std::move(readers));
    });
  }
}

std::vector<bool> UnitClasses::around_representatives(const std::vector<bool>& wanted) const {
  std::vector<bool> found(representatives_.size(), false);
  for (std::size_t unit = 0; unit < representatives_.size(); ++unit) {
    if (wanted[unit]) found[representatives_[unit]] = true;
  }
  for (int step = 0; step < reach; ++step) {
    const std::vector<bool> before = found;
    add_neighbours(inputs_, before, found);
    add_neighbours(readers_, before, found);
  }
  return found;
}

}  // namespace cnnplan
