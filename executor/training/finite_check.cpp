// Looks at each rank's part of every tensor where it is stored; all ranks list the tensors in one
// order.
#include "executor/training/finite_check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Looks at the weight with its padding, which is zero.
bool is_finite(const ParameterStore& store, SlotIndex slot) {
  const std::int64_t elements = store.elements(slot, slot);
  constexpr auto weights = ParameterArena::weights;
  return elements == 0 || store.device().are_finite(
                              store.element_of(weights), store.address(weights, slot), elements);
}

// Calls look(name, finite) for every slot and every running value; the order is equal on all ranks.
template <typename Look>
void for_each_tensor(const ParameterStore& store, const Network& network, const Look& look) {
  for (const SlotIndex i : store.slots().indices()) {
    const ParameterSlot& slot = store.slots()[i];
    look(tensor_name(network.layer(slot.layer).name, to_text(slot.role)), is_finite(store, i));
  }
  for (const LayerIndex layer : network.layers().indices()) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const std::string& name = network.layer(layer).name;
    look(tensor_name(name, "mean"), is_finite(store.running().values(layer, false)));
    look(tensor_name(name, "variance"), is_finite(store.running().values(layer, true)));
  }
}

}  // namespace

void require_finite(const ParameterStore& store,
                    const Network& network,
                    const Communicator& world,
                    std::int64_t steps) {
  std::vector<std::string> names;
  std::size_t first = std::string::npos;
  for_each_tensor(store, network, [&](std::string name, bool finite) {
    if (first == std::string::npos && !finite) first = names.size();
    names.push_back(std::move(name));
  });
  const auto none = static_cast<double>(names.size());
  const double own = first == std::string::npos ? none : static_cast<double>(first);
  const double found = -world.maximum(-own);
  if (found == none) return;
  throw NotFiniteError(names[static_cast<std::size_t>(found)] + " is not finite after " +
                       std::to_string(steps) + " steps");
}

}  // namespace cnnplan
