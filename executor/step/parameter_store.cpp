// Allocates the arenas of parameters, and converts slots from and to plain tensors.
#include "executor/step/parameter_store.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>

#include "executor/step/device_values.hpp"
#include "executor/step/initializer.hpp"
#include "planner/base/checked.hpp"
#include "planner/schedule/stored_samples.hpp"

namespace cnnplan {
namespace {

// Says how many elements the filters of a weight have, in plain order. The device may store
// channels of zeros after those of the network.
struct FilterElements {
  std::int64_t plain = 0;
  std::int64_t stored = 0;
};

// @pre the slot is a weight with elements, and its `forward` is stored_forward()
FilterElements filter_elements(const ParameterSlot& slot) {
  const std::int64_t filters = slot.box[Dim::n].size();
  return {.plain = slot.elements / filters, .stored = weight_volume(slot.forward) / filters};
}

// Copies filters of `from` elements each to filters of `to` elements: the first ones of each, or
// all and zeros after them.
std::vector<double> resized_filters(std::span<const double> filters,
                                    std::int64_t from,
                                    std::int64_t to) {
  if (std::ssize(filters) % from != 0) throw std::logic_error("a part of a filter");
  std::vector<double> result(std::ssize(filters) / from * to);
  for (auto target = result.begin(); target != result.end(); target += to) {
    std::copy_n(filters.begin(), std::min(from, to), target);
    filters = filters.subspan(from);
  }
  return result;
}

// Holds a slice of a slot, in the order of files.
struct PlainSlice {
  const Box& box;
  std::span<const double> values;
};

// Converts a slice for `memory`, which holds the whole slot in `element`.
void import_slice(const Backend& backend,
                  const ParameterSlot& slot,
                  const PlainSlice& slice,
                  ElementType element,
                  std::byte* memory) {
  if (slot.role != ParameterRole::weight) {
    const std::vector<std::byte> bytes = packed(element, slice.values);
    std::copy(bytes.begin(), bytes.end(), memory);
    return;
  }
  const std::int64_t first = slot.box[Dim::n].begin;
  const Range filters{slice.box[Dim::n].begin - first, slice.box[Dim::n].end - first};
  const auto [plain, stored] = filter_elements(slot);
  if (stored <= plain) {
    return backend.import_filters(slot.forward, filters, slice.values, memory);
  }
  const std::vector<double> with_zeros = resized_filters(slice.values, plain, stored);
  backend.import_filters(slot.forward, filters, with_zeros, memory);
}

struct StoredArray {
  void* data = nullptr;
  ElementType element = ElementType::fp32;
};

// Rounds `count` elements to another element, one part after the other.
void copy_rounded(Device& device,
                  const StoredArray& from,
                  const StoredArray& to,
                  std::int64_t count) {
  const auto* const source = static_cast<const std::byte*>(from.data);
  auto* const target = static_cast<std::byte*>(to.data);
  for (std::int64_t first = 0; first < count; first += most_slice_values) {
    const std::int64_t some = std::min(most_slice_values, count - first);
    const std::vector<std::byte> bytes =
        download(device, source + first * bytes_of(from.element), some * bytes_of(from.element));
    upload(device,
           packed(to.element, unpacked(from.element, bytes)),
           target + first * bytes_of(to.element));
  }
}

}  // namespace

ParameterStore::ParameterStore(const Schedule& schedule,
                               const Network& network,
                               Precision precision,
                               Backend& backend)
    : slots_(schedule.slots),
      precision_(precision),
      backend_(&backend),
      layout_(schedule, backend),
      running_(schedule, network, precision, backend.device()) {
  for (ParameterSlot& slot : slots_) {
    if (slot.role != ParameterRole::weight) continue;
    slot.forward = stored_forward(schedule, slot, kind_of(device()));
  }
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
    return unpacked(element,
                    {bytes.data, static_cast<std::size_t>(slot.elements * bytes_of(element))});
  }
  const std::int64_t block = backend_->filter_block(slot.forward);
  const Range wanted{part[Dim::n].begin - slot.box[Dim::n].begin,
                     part[Dim::n].end - slot.box[Dim::n].begin};
  const Range blocks{wanted.begin / block * block,
                     std::min((wanted.end + block - 1) / block * block, slot.box[Dim::n].size())};
  const auto [each, stored] = filter_elements(slot);
  std::vector<double> values(blocks.size() * stored);
  backend_->export_filters(slot.forward, blocks, bytes.data, values);
  if (stored > each) values = resized_filters(values, stored, each);
  values.resize((wanted.end - blocks.begin) * each);
  values.erase(values.begin(), values.begin() + (wanted.begin - blocks.begin) * each);
  return values;
}

void ParameterStore::set(ParameterArena arena, SlotIndex index, const SliceSource& values) {
  const ParameterSlot& slot = slots_.at(index);
  const ElementType element = element_of(arena);
  for (const Box& box : slices(arena, index)) {
    const std::vector<double> plain = values(box);
    const PlainSlice slice{.box = box, .values = plain};
    if (is_in_place(arena)) {
      auto* const memory = static_cast<std::byte*>(address(arena, index));
      import_slice(*backend_, slot, slice, element, memory);
      continue;
    }
    std::vector<std::byte> bytes(elements(index, index) * bytes_of(element));
    import_slice(*backend_, slot, slice, element, bytes.data());
    upload_slot(arena, index, bytes);
  }
}

// Uploads the slot, or the elements of it that this rank's shard of momentum has.
void ParameterStore::upload_slot(ParameterArena arena,
                                 SlotIndex index,
                                 const std::vector<std::byte>& bytes) {
  if (!is_in_shards(arena)) return upload(device(), bytes, address(arena, index));
  const SlotShard& shard = layout_.shard_with(index);
  const std::int64_t element_bytes = bytes_of(element_of(arena));
  const std::int64_t offset = layout_.offset(index);
  const Range own = intersect(shard.own, Range{offset, offset + std::ssize(bytes) / element_bytes});
  if (own.size() == 0) return;
  const auto begin = bytes.begin() + (own.begin - offset) * element_bytes;
  upload(device(),
         {begin, begin + own.size() * element_bytes},
         static_cast<std::byte*>(address(arena, shard)) +
             (own.begin - shard.own.begin) * element_bytes);
}

void ParameterStore::set_weight(SlotIndex index, const SliceSource& values) {
  set(ParameterArena::weights, index, values);
  if (!has_weight_copies(precision_)) return;
  const auto array = [&](ParameterArena arena) {
    return StoredArray{.data = address(arena, index), .element = element_of(arena)};
  };
  copy_rounded(device(),
               array(ParameterArena::weights),
               array(ParameterArena::weight_copies),
               elements(index, index));
}

void ParameterStore::set_momentum(SlotIndex index, const SliceSource& values) {
  set(ParameterArena::momentum, index, values);
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
