// Allocates the arenas of parameters, and converts slots from and to plain tensors.
#include "executor/step/parameter_store.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>

#include "executor/step/device_values.hpp"
#include "executor/step/initializer.hpp"
#include "planner/base/checked.hpp"

namespace cnnplan {

ParameterStore::ParameterStore(const Schedule& schedule,
                               const Network& network,
                               Precision precision,
                               Backend& backend)
    : slots_(schedule.slots),
      precision_(precision),
      backend_(&backend),
      layout_(schedule, backend),
      running_(schedule, network, precision, backend.device()) {
  for (std::size_t i = 0; i < arenas_.size(); ++i) {
    const auto arena = static_cast<ParameterArena>(i);
    if (arena == ParameterArena::weight_copies && !has_weight_copies(precision)) continue;
    if (arena == ParameterArena::gradients && schedule.gradients < 0) continue;
    if (arena == ParameterArena::momentum && schedule.momentum < 0) continue;
    const std::int64_t count = is_in_shards(arena) ? layout_.own_elements() : layout_.elements();
    arenas_[i] = device().allocate(checked_multiply(count, bytes_of(element_of(arena))));
  }
}

bool ParameterStore::is_in_shards(ParameterArena arena) const {
  return arena == ParameterArena::momentum && !layout_.shards().empty();
}

const MemoryBlock& ParameterStore::memory(ParameterArena arena) const {
  return arenas_[static_cast<std::size_t>(arena)];
}

void* ParameterStore::address(ParameterArena arena, SlotIndex slot) const {
  return memory(arena).data() + layout_.offset(slot) * bytes_of(element_of(arena));
}

void* ParameterStore::address(ParameterArena arena, const SlotShard& shard) const {
  const bool is_momentum = arena == ParameterArena::momentum;
  return memory(arena).data() +
         (is_momentum ? shard.momentum_offset : shard.own.begin) * bytes_of(element_of(arena));
}

std::vector<std::byte> ParameterStore::spread_momentum() const {
  const std::int64_t element_bytes = bytes_of(element_of(ParameterArena::momentum));
  std::vector<std::byte> momentum(layout_.elements() * element_bytes);
  for (const SlotShard& shard : layout_.shards()) {
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

std::vector<std::byte> ParameterStore::stored_bytes(ParameterArena arena,
                                                    SlotIndex slot,
                                                    std::int64_t elements) const {
  const std::int64_t element_bytes = bytes_of(element_of(arena));
  if (!is_in_shards(arena)) {
    return download(device(), address(arena, slot), elements * element_bytes);
  }
  if (whole_momentum_.empty()) throw std::logic_error("momentum is in shards");
  const auto begin = whole_momentum_.begin() + layout_.offset(slot) * element_bytes;
  return {begin, begin + elements * element_bytes};
}

std::vector<double> ParameterStore::plain(ParameterArena arena, SlotIndex index) const {
  const ParameterSlot& slot = slots_.at(index);
  if (slot.elements == 0) return {};
  const bool is_weight = slot.role == ParameterRole::weight;
  const std::int64_t stored_elements = is_weight ? elements(index, index) : slot.elements;
  const std::vector<std::byte> bytes = stored_bytes(arena, index, stored_elements);
  if (!is_weight) return unpacked(parameter_element(precision_), bytes);
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
  if (!is_in_shards(ParameterArena::momentum)) {
    return upload(device(), bytes, address(ParameterArena::momentum, index));
  }
  const SlotShard& shard = layout_.shard_with(index);
  const std::int64_t element_bytes = bytes_of(element_of(ParameterArena::momentum));
  const std::int64_t offset = layout_.offset(index);
  const std::int64_t count = std::ssize(bytes) / element_bytes;
  const Range own = intersect(shard.own, Range{offset, offset + count});
  if (own.size() == 0) return;
  const auto begin = bytes.begin() + (own.begin - offset) * element_bytes;
  auto* const memory = static_cast<std::byte*>(address(ParameterArena::momentum, shard));
  upload(device(),
         std::vector<std::byte>(begin, begin + own.size() * element_bytes),
         memory + (own.begin - shard.own.begin) * element_bytes);
}

std::int64_t ParameterStore::bytes() const {
  std::int64_t total = running_.bytes();
  for (const MemoryBlock& arena : arenas_) total += arena.size_bytes();
  return total;
}

void initialize(ParameterStore& store, const Network& network, std::uint64_t seed) {
  for (const SlotIndex i : store.slots().indices()) {
    store.set_weight(i, initial_values(store.slots()[i], network, seed));
  }
}

}  // namespace cnnplan
