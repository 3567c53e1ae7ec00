// Layout of parameter arenas and conversion from and to plain tensors.
#include "executor/training/parameter_store.hpp"

#include <algorithm>
#include <iterator>

#include "executor/backend/element.hpp"
#include "executor/training/initializer.hpp"
#include "planner/model/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t line_elements = 16;

void copy_in(ElementType element, std::span<const double> values, void* memory) {
  with_type_of(element, [&]<typename T>(T) {
    std::transform(values.begin(), values.end(), static_cast<T*>(memory), stored<T>);
  });
}

std::vector<double> copy_out(ElementType element, const void* memory, std::int64_t count) {
  return with_type_of(element, [&]<typename T>(T) {
    const auto* values = static_cast<const T*>(memory);
    std::vector<double> doubles;
    std::transform(values, values + count, std::back_inserter(doubles), [](T value) {
      return static_cast<double>(value);
    });
    return doubles;
  });
}

}  // namespace

ParameterStore::ParameterStore(const Schedule& schedule,
                               const Network& network,
                               Precision precision,
                               const Backend& backend)
    : slots_(schedule.slots), offsets_{0}, precision_(precision), backend_(&backend) {
  for (const ParameterSlot& slot : slots_) {
    const std::int64_t count =
        slot.role == ParameterRole::weight ? backend.weight_elements(slot.forward) : slot.elements;
    const std::int64_t padded = (count + line_elements - 1) / line_elements * line_elements;
    offsets_.push_back(checked_add(offsets_.back(), padded));
  }
  for (std::size_t i = 0; i < arenas_.size(); ++i) {
    const auto arena = static_cast<ParameterArena>(i);
    if (arena == ParameterArena::weight_copies && !has_weight_copies(precision)) continue;
    arenas_[i] = MemoryBlock(checked_multiply(offsets_.back(), bytes_of(element_of(arena))));
  }
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const std::int64_t channels = network.output_shape(layer, 1)[Dim::c];
    const std::int64_t running_bytes = channels * parameter_bytes(precision);
    running_[layer] = {channels, MemoryBlock(running_bytes), MemoryBlock(running_bytes)};
    set_running_values(layer, true, std::vector<double>(static_cast<std::size_t>(channels), 1.0));
  }
}

ElementType ParameterStore::element_of(ParameterArena arena) const {
  return arena == ParameterArena::weight_copies ? activation_element(precision_)
                                                : parameter_element(precision_);
}

std::int64_t ParameterStore::elements(int first_slot, int last_slot) const {
  return offsets_.at(static_cast<std::size_t>(last_slot) + 1) -
         offsets_.at(static_cast<std::size_t>(first_slot));
}

void* ParameterStore::address(ParameterArena arena, int slot) const {
  return arenas_[static_cast<std::size_t>(arena)].data() +
         offsets_.at(static_cast<std::size_t>(slot)) * bytes_of(element_of(arena));
}

std::vector<double> ParameterStore::plain(ParameterArena arena, int index) const {
  const ParameterSlot& slot = slots_.at(static_cast<std::size_t>(index));
  if (slot.role != ParameterRole::weight) {
    return copy_out(parameter_element(precision_), address(arena, index), slot.elements);
  }
  std::vector<double> values(static_cast<std::size_t>(slot.elements));
  backend_->export_weight(slot.forward, address(arena, index), values);
  return values;
}

void ParameterStore::set_weight(int index, std::span<const double> values) {
  const ParameterSlot& slot = slots_.at(static_cast<std::size_t>(index));
  void* memory = address(ParameterArena::weights, index);
  if (slot.role == ParameterRole::weight) {
    backend_->import_weight(slot.forward, values, memory);
  } else {
    copy_in(parameter_element(precision_), values, memory);
  }
  if (has_weight_copies(precision_)) copy_weight(index);
}

void ParameterStore::copy_weight(int slot) {
  const void* weights = address(ParameterArena::weights, slot);
  copy_in(element_of(ParameterArena::weight_copies),
          copy_out(element_of(ParameterArena::weights), weights, elements(slot, slot)),
          address(ParameterArena::weight_copies, slot));
}

void* ParameterStore::running_mean(LayerIndex layer) const {
  return running(layer).mean.data();
}

void* ParameterStore::running_variance(LayerIndex layer) const {
  return running(layer).variance.data();
}

std::vector<double> ParameterStore::running_values(LayerIndex layer, bool variance) const {
  const Running& values = running(layer);
  return copy_out(parameter_element(precision_),
                  (variance ? values.variance : values.mean).data(),
                  values.channels);
}

void ParameterStore::set_running_values(LayerIndex layer,
                                        bool variance,
                                        std::span<const double> values) {
  const ElementType element = parameter_element(precision_);
  copy_in(element, values, variance ? running_variance(layer) : running_mean(layer));
}

std::int64_t ParameterStore::bytes() const {
  std::int64_t total = 0;
  for (const MemoryBlock& arena : arenas_) total += arena.size_bytes();
  for (const auto& [layer, values] : running_) {
    total += values.mean.size_bytes() + values.variance.size_bytes();
  }
  return total;
}

void initialize(ParameterStore& store, const Network& network, std::uint64_t seed) {
  for (std::size_t i = 0; i < store.slots().size(); ++i) {
    const ParameterSlot& slot = store.slots()[i];
    store.set_weight(static_cast<int>(i), initial_values(slot, network, seed));
  }
}

}  // namespace cnnplan
