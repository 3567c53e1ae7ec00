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

// True where slices are written to and read from the arena itself.
bool ParameterStore::is_in_place(ParameterArena arena) const {
  return device().is_host() && !is_in_shards(arena);
}

ParameterStore::HostBytes ParameterStore::stored(ParameterArena arena, SlotIndex slot) const {
  const std::int64_t element_bytes = bytes_of(element_of(arena));
  if (is_in_shards(arena)) {
    if (whole_momentum_.empty()) throw std::logic_error("momentum is in shards");
    return {.data = whole_momentum_.data() + layout_.offset(slot) * element_bytes};
  }
  const auto* const memory = static_cast<const std::byte*>(address(arena, slot));
  if (device().is_host()) return {.data = memory};
  HostBytes bytes{.copy = download(device(), memory, elements(slot, slot) * element_bytes)};
  bytes.data = bytes.copy.data();
  return bytes;
}

std::vector<Box> ParameterStore::slices(ParameterArena arena, SlotIndex index) const {
  const ParameterSlot& slot = slots_.at(index);
  if (slot.elements == 0) return {};
  if (slot.role != ParameterRole::weight || !is_in_place(arena)) return {slot.box};
  return slices_of(slot, backend_->filter_block(slot.forward));
}

std::vector<double> ParameterStore::plain(ParameterArena arena, SlotIndex index) const {
  return plain(arena, index, slots_.at(index).box);
}

// The backend exports whole blocks of filters, of which some may not be wanted.
std::vector<double> ParameterStore::plain(ParameterArena arena,
                                          SlotIndex index,
                                          const Box& part) const {
  const ParameterSlot& slot = slots_.at(index);
  if (is_empty(part)) return {};
  const HostBytes bytes = stored(arena, index);
  if (slot.role != ParameterRole::weight) {
    const ElementType element = parameter_element(precision_);
    return unpacked(element, {bytes.data, static_cast<std::size_t>(slot.elements * bytes_of(element))});
  }
  const std::int64_t block = backend_->filter_block(slot.forward);
  const Range wanted{part[Dim::n].begin - slot.box[Dim::n].begin,
                     part[Dim::n].end - slot.box[Dim::n].begin};
  const Range blocks{wanted.begin / block * block,
                     std::min((wanted.end + block - 1) / block * block, slot.box[Dim::n].size())};
  const std::int64_t each = volume(part) / wanted.size();
  std::vector<double> values(blocks.size() * each);
  backend_->export_filters(slot.forward, blocks, bytes.data, values);
  values.resize((wanted.end - blocks.begin) * each);
  values.erase(values.begin(), values.begin() + (wanted.begin - blocks.begin) * each);
  return values;
}

// `memory` holds the whole slot.
void ParameterStore::import_slice(const ParameterSlot& slot,
                                  const Box& slice,
                                  std::span<const double> plain,
                                  std::byte* memory) const {
  if (slot.role != ParameterRole::weight) {
    const std::vector<std::byte> bytes = packed(parameter_element(precision_), plain);
    std::copy(bytes.begin(), bytes.end(), memory);
    return;
  }
  const std::int64_t first = slot.box[Dim::n].begin;
  const Range filters{slice[Dim::n].begin - first, slice[Dim::n].end - first};
  backend_->import_filters(slot.forward, filters, plain, memory);
}

void ParameterStore::set(ParameterArena arena, SlotIndex index, const SliceSource& values) {
  const ParameterSlot& slot = slots_.at(index);
  for (const Box& slice : slices(arena, index)) {
    const std::vector<double> plain = values(slice);
    if (is_in_place(arena)) {
      import_slice(slot, slice, plain, static_cast<std::byte*>(address(arena, index)));
      continue;
    }
    std::vector<std::byte> bytes(elements(index, index) * bytes_of(element_of(arena)));
    import_slice(slot, slice, plain, bytes.data());
    upload_slot(arena, index, bytes);
  }
}

// Of momentum in shards, uploads what this rank has of the slot.
void ParameterStore::upload_slot(ParameterArena arena,
                                 SlotIndex index,
                                 const std::vector<std::byte>& bytes) {
  if (!is_in_shards(arena)) return upload(device(), bytes, address(arena, index));
  const SlotShard& shard = layout_.shard_with(index);
  const std::int64_t element_bytes = bytes_of(element_of(arena));
  const std::int64_t offset = layout_.offset(index);
  const Range own =
      intersect(shard.own, Range{offset, offset + std::ssize(bytes) / element_bytes});
  if (own.size() == 0) return;
  const auto begin = bytes.begin() + (own.begin - offset) * element_bytes;
  upload(device(),
         {begin, begin + own.size() * element_bytes},
         static_cast<std::byte*>(address(arena, shard)) +
             (own.begin - shard.own.begin) * element_bytes);
}

// Rounds a part of the weight after the other to the element of the copy.
void ParameterStore::copy_weight(SlotIndex slot) {
  const ElementType from = parameter_element(precision_);
  const ElementType to = element_of(ParameterArena::weight_copies);
  const auto* const weight =
      static_cast<const std::byte*>(address(ParameterArena::weights, slot));
  auto* const copy = static_cast<std::byte*>(address(ParameterArena::weight_copies, slot));
  const std::int64_t end = elements(slot, slot);
  for (std::int64_t first = 0; first < end; first += most_slice_values) {
    const std::int64_t count = std::min(most_slice_values, end - first);
    const std::vector<std::byte> bytes =
        download(device(), weight + first * bytes_of(from), count * bytes_of(from));
    upload(device(), packed(to, unpacked(from, bytes)), copy + first * bytes_of(to));
  }
}

void ParameterStore::set_weight(SlotIndex index, const SliceSource& values) {
  set(ParameterArena::weights, index, values);
  if (has_weight_copies(precision_)) copy_weight(index);
}

void ParameterStore::set_momentum(SlotIndex index, const SliceSource& values) {
  set(ParameterArena::momentum, index, values);
}

void ParameterStore::set_weight(SlotIndex index, std::span<const double> plain) {
  set_weight(index, [rest = plain](const Box& slice) mutable {
    const std::span<const double> own = rest.first(volume(slice));
    rest = rest.subspan(own.size());
    return std::vector<double>(own.begin(), own.end());
  });
}

std::int64_t ParameterStore::bytes() const {
  std::int64_t total = running_.bytes();
  for (const MemoryBlock& arena : arenas_) total += arena.size_bytes();
  return total;
}

void initialize(ParameterStore& store, const Network& network, std::uint64_t seed) {
  for (const SlotIndex i : store.slots().indices()) {
    store.set_weight(i, [&](const Box& slice) {
      return initial_values(store.slots()[i], slice, network, seed);
    });
  }
}

}  // namespace cnnplan
