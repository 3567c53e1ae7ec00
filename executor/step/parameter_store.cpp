// Lays out parameter arenas, and converts plain tensors to and from the backend's format.
#include "executor/step/parameter_store.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>

#include "executor/backend/element.hpp"
#include "executor/step/initializer.hpp"
#include "planner/base/checked.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t line_elements = 16;

std::vector<std::byte> packed(ElementType element, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * bytes_of(element));
  with_type_of(element, [&]<typename T>(T) {
    std::transform(values.begin(), values.end(), reinterpret_cast<T*>(bytes.data()), stored<T>);
  });
  return bytes;
}

std::vector<double> unpacked(ElementType element, const std::vector<std::byte>& bytes) {
  return with_type_of(element, [&]<typename T>(T) {
    const auto* values = reinterpret_cast<const T*>(bytes.data());
    std::vector<double> doubles;
    std::transform(
        values, values + bytes.size() / sizeof(T), std::back_inserter(doubles), [](T value) {
          return static_cast<double>(value);
        });
    return doubles;
  });
}

// Both wait until the copy is done.
void upload(Device& device, const std::vector<std::byte>& bytes, void* memory) {
  device.copy_to_device(memory, bytes.data(), std::ssize(bytes));
  device.synchronize();
}

std::vector<std::byte> download(Device& device, const void* memory, std::int64_t size_bytes) {
  std::vector<std::byte> bytes(size_bytes);
  device.copy_to_host(bytes.data(), memory, size_bytes);
  device.synchronize();
  return bytes;
}

}  // namespace

ParameterStore::ParameterStore(const Schedule& schedule,
                               const Network& network,
                               Precision precision,
                               Backend& backend)
    : slots_(schedule.slots), offsets_{0}, precision_(precision), backend_(&backend) {
  place_slots(schedule);
  if (schedule.sharded_update) find_shards(schedule);
  for (std::size_t i = 0; i < arenas_.size(); ++i) {
    const auto arena = static_cast<ParameterArena>(i);
    if (arena == ParameterArena::weight_copies && !has_weight_copies(precision)) continue;
    if (arena == ParameterArena::gradients && schedule.gradients < 0) continue;
    if (arena == ParameterArena::momentum && schedule.momentum < 0) continue;
    arenas_[i] =
        device().allocate(checked_multiply(arena_elements(arena), bytes_of(element_of(arena))));
  }
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
    const BufferIndex mean = schedule.running_mean[layer];
    const Range channels = schedule.buffers[mean].box[Dim::w];
    const std::int64_t running_bytes = channels.size() * parameter_bytes(precision);
    running_[layer] = {
        channels, device().allocate(running_bytes), device().allocate(running_bytes)};
    const std::vector<double> ones(channels.size(), 1.0);
    set_running_values(layer, true, ones);
  }
}

// Where there are shards, each range of slots has room for shards of equal size.
void ParameterStore::place_slots(const Schedule& schedule) {
  auto range = schedule.gradient_ranges.begin();
  for (const SlotIndex i : slots_.indices()) {
    const ParameterSlot& slot = slots_[i];
    const bool is_stored_weight = slot.role == ParameterRole::weight && slot.elements > 0;
    const std::int64_t count =
        is_stored_weight ? backend_->weight_elements(slot.forward) : slot.elements;
    const std::int64_t padded = (count + line_elements - 1) / line_elements * line_elements;
    offsets_.push_back(checked_add(offsets_.back(), padded));
    if (!schedule.sharded_update || range->last_slot != i) continue;
    const std::int64_t begin = offset(range->first_slot);
    const int parts = (range++)->group.size();
    const std::int64_t each = shard_elements(offsets_.back() - begin, parts);
    offsets_.back() = checked_add(begin, checked_multiply(each, parts));
  }
}

void ParameterStore::find_shards(const Schedule& schedule) {
  std::int64_t momentum_offset = 0;
  for (const GradientRange& range : schedule.gradient_ranges) {
    const std::int64_t begin = offset(range.first_slot);
    const Range own = shard(elements(range.first_slot, range.last_slot),
                            range.group.size(),
                            range.group.position_of(schedule.rank));
    shards_.push_back({.first_slot = range.first_slot,
                       .last_slot = range.last_slot,
                       .own = {begin + own.begin, begin + own.end},
                       .momentum_offset = momentum_offset});
    momentum_offset = checked_add(momentum_offset, own.size());
  }
}

std::int64_t ParameterStore::arena_elements(ParameterArena arena) const {
  if (arena != ParameterArena::momentum || shards_.empty()) return offsets_.back();
  return shards_.back().momentum_offset + shards_.back().own.size();
}

const ParameterStore::SlotShard& ParameterStore::shard_from(SlotIndex first_slot) const {
  const auto found = std::find_if(shards_.begin(), shards_.end(), [&](const SlotShard& shard) {
    return shard.first_slot == first_slot;
  });
  if (found == shards_.end()) throw std::logic_error("no shard begins with this slot");
  return *found;
}

void* ParameterStore::address(ParameterArena arena, const SlotShard& shard) const {
  const bool is_momentum = arena == ParameterArena::momentum;
  return arenas_[static_cast<std::size_t>(arena)].data() +
         (is_momentum ? shard.momentum_offset : shard.own.begin) * bytes_of(element_of(arena));
}

std::vector<std::byte> ParameterStore::spread_momentum() const {
  const std::int64_t element_bytes = bytes_of(element_of(ParameterArena::momentum));
  std::vector<std::byte> momentum(offsets_.back() * element_bytes);
  for (const SlotShard& shard : shards_) {
    const std::vector<std::byte> own = download(
        device(), address(ParameterArena::momentum, shard), shard.own.size() * element_bytes);
    std::copy(own.begin(), own.end(), momentum.begin() + shard.own.begin * element_bytes);
  }
  return momentum;
}

ElementType ParameterStore::element_of(ParameterArena arena) const {
  return arena == ParameterArena::weight_copies ? activation_element(precision_)
                                                : parameter_element(precision_);
}

std::int64_t ParameterStore::elements(SlotIndex first_slot, SlotIndex last_slot) const {
  return offsets_.at(last_slot + 1) - offsets_.at(first_slot);
}

void* ParameterStore::address(ParameterArena arena, SlotIndex slot) const {
  return arenas_[static_cast<std::size_t>(arena)].data() +
         offsets_.at(slot) * bytes_of(element_of(arena));
}

std::vector<std::byte> ParameterStore::stored_bytes(ParameterArena arena,
                                                    SlotIndex slot,
                                                    std::int64_t elements) const {
  const std::int64_t element_bytes = bytes_of(element_of(arena));
  if (arena != ParameterArena::momentum || shards_.empty()) {
    return download(device(), address(arena, slot), elements * element_bytes);
  }
  if (whole_momentum_.empty()) throw std::logic_error("momentum is in shards");
  const auto begin = whole_momentum_.begin() + offset(slot) * element_bytes;
  return {begin, begin + elements * element_bytes};
}

std::vector<double> ParameterStore::plain(ParameterArena arena, SlotIndex index) const {
  const ParameterSlot& slot = slots_.at(index);
  if (slot.elements == 0) return {};
  const ElementType element = parameter_element(precision_);
  const bool is_weight = slot.role == ParameterRole::weight;
  const std::int64_t stored_elements = is_weight ? elements(index, index) : slot.elements;
  const std::vector<std::byte> bytes = stored_bytes(arena, index, stored_elements);
  if (!is_weight) return unpacked(element, bytes);
  std::vector<double> values(slot.elements);
  backend_->export_weight(slot.forward, bytes.data(), values);
  return values;
}

std::vector<std::byte> ParameterStore::in_backend_format(SlotIndex index,
                                                         std::span<const double> plain) const {
  const ParameterSlot& slot = slots_.at(index);
  const ElementType element = parameter_element(precision_);
  if (slot.role != ParameterRole::weight) return packed(element, plain);
  std::vector<std::byte> bytes(elements(index, index) * bytes_of(element));
  backend_->import_weight(slot.forward, plain, bytes.data());
  return bytes;
}

void ParameterStore::set_weight(SlotIndex index, std::span<const double> values) {
  if (slots_.at(index).elements == 0) return;
  const std::vector<std::byte> bytes = in_backend_format(index, values);
  upload(device(), bytes, address(ParameterArena::weights, index));
  if (!has_weight_copies(precision_)) return;
  upload(device(),
         packed(element_of(ParameterArena::weight_copies),
                unpacked(parameter_element(precision_), bytes)),
         address(ParameterArena::weight_copies, index));
}

void ParameterStore::set_momentum(SlotIndex index, std::span<const double> values) {
  if (slots_.at(index).elements == 0) return;
  const std::vector<std::byte> bytes = in_backend_format(index, values);
  if (shards_.empty()) return upload(device(), bytes, address(ParameterArena::momentum, index));
  const auto shard = std::find_if(shards_.begin(), shards_.end(), [&](const SlotShard& candidate) {
    return candidate.last_slot >= index;
  });
  const std::int64_t element_bytes = bytes_of(element_of(ParameterArena::momentum));
  const std::int64_t count = std::ssize(bytes) / element_bytes;
  const Range own = intersect(shard->own, Range{offset(index), offset(index) + count});
  if (own.size() == 0) return;
  const auto begin = bytes.begin() + (own.begin - offset(index)) * element_bytes;
  auto* const memory = static_cast<std::byte*>(address(ParameterArena::momentum, *shard));
  upload(device(),
         std::vector<std::byte>(begin, begin + own.size() * element_bytes),
         memory + (own.begin - shard->own.begin) * element_bytes);
}

void* ParameterStore::running_mean(LayerIndex layer) const {
  return running(layer).mean.data();
}

void* ParameterStore::running_variance(LayerIndex layer) const {
  return running(layer).variance.data();
}

std::vector<double> ParameterStore::running_values(LayerIndex layer, bool variance) const {
  const Running& values = running(layer);
  const MemoryBlock& block = variance ? values.variance : values.mean;
  return unpacked(parameter_element(precision_),
                  download(device(), block.data(), block.size_bytes()));
}

void ParameterStore::set_running_values(LayerIndex layer,
                                        bool variance,
                                        std::span<const double> values) {
  upload(device(),
         packed(parameter_element(precision_), values),
         variance ? running_variance(layer) : running_mean(layer));
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
  for (const SlotIndex i : store.slots().indices()) {
    store.set_weight(i, initial_values(store.slots()[i], network, seed));
  }
}

}  // namespace cnnplan
