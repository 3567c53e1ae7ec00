// Groups units by their own properties, and then by the classes of the units around them.
#include "planner/schedule/representatives/unit_classes.hpp"

#include <algorithm>
#include <map>

namespace cnnplan {
namespace {

// A kernel looks at the inputs and gradients of the units that are next to its own unit.
constexpr int reach = 2;

// Describes one input as its reader sees it.
struct InputKey {
  LayerSignature reader{};  // default for the residual, whose shape is that of the output
  bool gradient = false;
  auto operator<=>(const InputKey&) const = default;
};

struct UnitKey {
  LayerParameters parameters;
  std::vector<InputKey> inputs;
  Shape output;
  LayerPlan plan;
  SlicedGradient sliced{};
  bool relu = false;
  bool residual = false;
  bool gradient = false;
  bool dense_gradient = false;
  bool main_loss = false;  // its input is kept
  auto operator<=>(const UnitKey&) const = default;
};

UnitKey key_of(const FusedUnits& fused, const Unit& unit) {
  const Plan& plan = fused.plan();
  const Network& network = plan.network;
  UnitKey key{.parameters = network.layer(unit.head).parameters,
              .inputs = {},
              .output = network.output_shape(unit.last, plan.batch),
              .plan = plan.layers[unit.head],
              .sliced = fused.sliced_gradient(unit.head),
              .relu = unit.relu,
              .residual = unit.residual,
              .gradient = fused.requires_gradient(unit.last),
              .dense_gradient = fused.needs_dense_gradient(unit.last),
              .main_loss = unit.head == network.loss_layer()};
  const std::size_t own_inputs = network.inputs_of(unit.head).size();
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) {
    InputKey& input = key.inputs.emplace_back();
    if (i < own_inputs) input.reader = signature_of(network, unit.head, i, plan.batch);
    input.gradient = fused.requires_gradient(unit.inputs[i]);
  }
  return key;
}

// Returns for each unit the first unit with an equal key.
template <typename KeyOf>
IndexedVector<UnitIndex, UnitIndex> first_with_key(IndexRange<UnitIndex> units,
                                                   const KeyOf& key_of_unit) {
  std::map<decltype(key_of_unit(UnitIndex())), UnitIndex> firsts;
  IndexedVector<UnitIndex, UnitIndex> first;
  for (const UnitIndex unit : units) {
    first.push_back(firsts.try_emplace(key_of_unit(unit), unit).first->second);
  }
  return first;
}

void add_neighbours(const IndexedVector<UnitIndex, std::vector<UnitIndex>>& neighbours,
                    const IndexedVector<UnitIndex, bool>& from,
                    IndexedVector<UnitIndex, bool>& to) {
  for (const UnitIndex unit : from.indices()) {
    if (!from[unit]) continue;
    for (const UnitIndex other : neighbours[unit]) to[other] = true;
  }
}

}  // namespace

UnitClasses::UnitClasses(const FusedUnits& fused) {
  const IndexedVector<UnitIndex, Unit>& units = fused.units();
  inputs_.resize(units.size());
  readers_.resize(units.size());
  for (const UnitIndex unit : units.indices()) {
    for (LayerIndex source : units[unit].inputs) {
      const UnitIndex from = fused.index_of(fused.unit_of(source));
      inputs_[unit].push_back(from);
      readers_[from].push_back(unit);
    }
  }
  representatives_ =
      first_with_key(units.indices(), [&](UnitIndex unit) { return key_of(fused, units[unit]); });
  const auto append_classes = [this](const std::vector<UnitIndex>& others,
                                     std::vector<UnitIndex>& classes) {
    for (const UnitIndex other : others) classes.push_back(representatives_[other]);
  };
  for (int round = 0; round < neighbourhood; ++round) {
    representatives_ = first_with_key(units.indices(), [&](UnitIndex unit) {
      // Units of one class have equally many inputs, so that one list says where readers begin.
      std::vector<UnitIndex> classes;
      classes.reserve(1 + inputs_[unit].size() + readers_[unit].size());
      classes.push_back(representatives_[unit]);
      append_classes(inputs_[unit], classes);
      append_classes(readers_[unit], classes);
      std::sort(classes.end() - std::ssize(readers_[unit]), classes.end());
      return classes;
    });
  }
}

IndexedVector<UnitIndex, bool> UnitClasses::around_representatives(
    const IndexedVector<UnitIndex, bool>& wanted) const {
  IndexedVector<UnitIndex, bool> found(representatives_.size(), false);
  for (const UnitIndex unit : representatives_.indices()) {
    if (wanted[unit]) found[representatives_[unit]] = true;
  }
  for (int step = 0; step < reach; ++step) {
    const IndexedVector<UnitIndex, bool> before = found;
    add_neighbours(inputs_, before, found);
    add_neighbours(readers_, before, found);
  }
  return found;
}

}  // namespace cnnplan
