// Layout of parameter arenas and conversion from and to plain tensors.
#include "executor/training/parameter_store.hpp"

#include <algorithm>

#include "executor/training/initializer.hpp"
#include "planner/model/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t line_elements = 16;

template <typename T>
void copy_in(std::span<const double> values, void* memory) {
  std::transform(values.begin(), values.end(), static_cast<T*>(memory), [](double value) {
    return static_cast<T>(value);
  });
}

void copy_in(Precision precision, std::span<const double> values, void* memory) {
  precision == Precision::fp32 ? copy_in<float>(values, memory) : copy_in<double>(values, memory);
}

std::vector<double> copy_out(Precision precision, const void* memory, std::int64_t count) {
  if (precision == Precision::fp64) {
    const auto* values = static_cast<const double*>(memory);
    return {values, values + count};
  }
  const auto* values = static_cast<const float*>(memory);
  return {values, values + count};
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
  const std::int64_t bytes = checked_multiply(offsets_.back(), bytes_per_element(precision));
  for (MemoryBlock& arena : arenas_) arena = MemoryBlock(bytes);
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const std::int64_t channels = network.output_shape(layer, 1)[Dim::c];
    const std::int64_t running_bytes = channels * bytes_per_element(precision);
    running_[layer] = {channels, MemoryBlock(running_bytes), MemoryBlock(running_bytes)};
    set_running_values(layer, true, std::vector<double>(static_cast<std::size_t>(channels), 1.0));
  }
}

std::int64_t ParameterStore::elements(int first_slot, int last_slot) const {
  return offsets_.at(static_cast<std::size_t>(last_slot) + 1) -
         offsets_.at(static_cast<std::size_t>(first_slot));
}

void* ParameterStore::address(ParameterArena arena, int slot) const {
  return arenas_[static_cast<std::size_t>(arena)].data() +
         offsets_.at(static_cast<std::size_t>(slot)) * bytes_per_element(precision_);
}

std::vector<double> ParameterStore::plain(ParameterArena arena, int index) const {
  const ParameterSlot& slot = slots_.at(static_cast<std::size_t>(index));
  if (slot.role != ParameterRole::weight) {
    return copy_out(precision_, address(arena, index), slot.elements);
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
    copy_in(precision_, values, memory);
  }
}

void* ParameterStore::running_mean(LayerIndex layer) const {
  return running(layer).mean.data();
}

void* ParameterStore::running_variance(LayerIndex layer) const {
  return running(layer).variance.data();
}

std::vector<double> ParameterStore::running_values(LayerIndex layer, bool variance) const {
  const Running& values = running(layer);
  return copy_out(precision_, (variance ? values.variance : values.mean).data(), values.channels);
}

void ParameterStore::set_running_values(LayerIndex layer,
                                        bool variance,
                                        std::span<const double> values) {
  copy_in(precision_, values, variance ? running_variance(layer) : running_mean(layer));
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
