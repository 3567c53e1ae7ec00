// Finds addresses and views of buffers, and copies them where the device is not the host.
#include "executor/step/schedule_memory.hpp"

#include <algorithm>

#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/stored_samples.hpp"

namespace cnnplan {
namespace {

// True for roles whose operands name slots, not boxes.
bool has_slots(BufferRole role) {
  return is_parameter(role) || role == BufferRole::gradient_part;
}

// True for roles that the host writes or reads, which are outside the arena.
bool meets_host(BufferRole role) {
  return role == BufferRole::data || role == BufferRole::labels || role == BufferRole::loss;
}

// True for roles whose buffers have memory of their own, of stored_bytes().
bool is_apart(BufferRole role) {
  return meets_host(role) || role == BufferRole::state;
}

// Returns the bytes of the largest weight as the backend stores it.
std::int64_t part_bytes(const Schedule& schedule,
                        const ParameterStore& parameters,
                        BufferElement element) {
  std::int64_t elements = 0;
  for (const SlotIndex slot : schedule.slots.indices()) {
    if (schedule.slots[slot].role != ParameterRole::weight) continue;
    elements = std::max(elements, parameters.elements(slot, slot));
  }
  return elements * bytes_of(element);
}

ParameterArena arena_of(BufferRole role) {
  if (role == BufferRole::weights) return ParameterArena::weights;
  if (role == BufferRole::weight_copies) return ParameterArena::weight_copies;
  return role == BufferRole::gradients ? ParameterArena::gradients : ParameterArena::momentum;
}

}  // namespace

ScheduleMemory::ScheduleMemory(const Schedule& schedule, Device& device, ParameterStore& parameters)
    : schedule_(schedule),
      device_(device),
      parameters_(parameters),
      arena_(device.allocate(schedule.arena_bytes)),
      own_memory_(schedule.buffers.size()),
      host_memory_(schedule.buffers.size()),
      running_layer_(schedule.buffers.size()) {
  for (const BufferIndex i : schedule.buffers.indices()) {
    const Buffer& candidate = schedule.buffers[i];
    if (candidate.role == BufferRole::gradient_part) {
      own_memory_[i] = device.allocate(part_bytes(schedule, parameters, candidate.element));
    }
    const std::int64_t bytes = stored_bytes(schedule, i, kind_of(device));
    if (is_apart(candidate.role)) own_memory_[i] = device.allocate(bytes);
    if (meets_host(candidate.role) && !device.is_host()) {
      host_memory_[i] = device.allocate_staging(bytes);
    }
  }
  for (const LayerIndex layer : schedule.running_mean.indices()) {
    for (BufferIndex index : {schedule.running_mean[layer], schedule.running_variance[layer]}) {
      if (index >= 0) running_layer_[index] = layer;
    }
  }
}

void* ScheduleMemory::address(BufferIndex index) const {
  const Buffer& wanted = buffer(index);
  if (in_arena(wanted.role)) return arena_.data() + wanted.offset_bytes;
  if (wanted.role != BufferRole::running) return own_memory_[index].data();
  const LayerIndex layer = running_layer_[index];
  return schedule_.running_mean[layer] == index ? parameters_.running().mean(layer)
                                                : parameters_.running().variance(layer);
}

TensorView ScheduleMemory::shard_view(const Operand& operand) const {
  const SlotShard& shard = parameters_.layout().shard_from(operand.first_slot);
  const Box box = whole({{1, 1, 1, 1, shard.own.size()}});
  const Buffer& arena = buffer(operand.buffer);
  void* data = parameters_.address(arena_of(arena.role), shard);
  return view_of(data, box, box, bytes_of(arena.element));
}

TensorView ScheduleMemory::parameter_view(const Operand& operand) const {
  const bool is_momentum = buffer(operand.buffer).role == BufferRole::momentum;
  if (operand.shards > 1 || (is_momentum && schedule_.sharded_update)) return shard_view(operand);
  // One slot has its plain shape. A range of slots, with its padding, is one flat array.
  const bool is_range = operand.first_slot != operand.last_slot;
  const ParameterSlot& slot = schedule_.slots[operand.first_slot];
  const std::int64_t elements = is_range || slot.role == ParameterRole::weight
                                    ? parameters_.elements(operand.first_slot, operand.last_slot)
                                    : slot.elements;
  const Box box = whole({{1, 1, 1, 1, elements}});
  const Buffer& arena = buffer(operand.buffer);
  void* data = arena.role == BufferRole::gradient_part
                   ? address(operand.buffer)
                   : parameters_.address(arena_of(arena.role), operand.first_slot);
  return view_of(data, box, box, bytes_of(arena.element));
}

TensorView ScheduleMemory::view_in(void* memory, BufferIndex index, const Box& box) const {
  const Box stored = stored_box(schedule_, index, kind_of(device_));
  return view_of(memory, stored, box, bytes_of(buffer(index).element));
}

TensorView ScheduleMemory::buffer_view(BufferIndex index, const Box& box) const {
  return view_in(address(index), index, box);
}

TensorView ScheduleMemory::view(const Operand& operand) const {
  if (has_slots(buffer(operand.buffer).role)) return parameter_view(operand);
  Box box = operand.box;
  const Box stored = stored_box(schedule_, operand.buffer, kind_of(device_));
  if (stored != buffer(operand.buffer).box && !is_empty(box)) box[Dim::c] = stored[Dim::c];
  return buffer_view(operand.buffer, box);
}

TensorView ScheduleMemory::host_view(BufferIndex index, const Box& box) const {
  if (device_.is_host()) return buffer_view(index, box);
  return view_in(host_memory_[index].data(), index, box);
}

void ScheduleMemory::upload(BufferIndex index) const {
  if (device_.is_host()) return;
  const MemoryBlock& host = host_memory_[index];
  device_.copy_to_device(address(index), host.data(), host.size_bytes());
}

HostBlock ScheduleMemory::read(const Operand& operand) const {
  if (device_.is_host()) return {.copy = {}, .view = view(operand)};
  const std::int64_t bytes = stored_bytes(schedule_, operand.buffer, kind_of(device_));
  HostBlock block{.copy = std::vector<std::byte>(bytes), .view = {}};
  device_.copy_to_host(block.copy.data(), address(operand.buffer), bytes);
  device_.synchronize();
  block.view = view_in(block.copy.data(), operand.buffer, operand.box);
  return block;
}

SavedChainStates ScheduleMemory::chain_states() const {
  SavedChainStates states;
  for (const BufferIndex i : schedule_.buffers.indices()) {
    const Buffer& kept = schedule_.buffers[i];
    if (kept.role != BufferRole::state) continue;
    auto& bytes = states[kept.name];
    bytes.resize(kept.bytes);
    device_.copy_to_host(bytes.data(), own_memory_[i].data(), kept.bytes);
  }
  device_.synchronize();
  return states;
}

void ScheduleMemory::set_chain_states(const SavedChainStates& states) const {
  for (const BufferIndex i : schedule_.buffers.indices()) {
    const Buffer& kept = schedule_.buffers[i];
    const auto found = states.find(kept.name);
    if (kept.role != BufferRole::state || found == states.end()) continue;
    device_.copy_to_device(own_memory_[i].data(), found->second.data(), kept.bytes);
  }
  device_.synchronize();
}

void ScheduleMemory::fetch_loss() {
  if (device_.is_host()) return;
  for (const BufferIndex loss : schedule_.losses) {
    const MemoryBlock& host = host_memory_[loss];
    device_.copy_to_host(host.data(), own_memory_[loss].data(), host.size_bytes());
  }
}

double ScheduleMemory::loss() const {
  double sum = 0.0;
  for (const BufferIndex loss : schedule_.losses) {
    const MemoryBlock& memory = device_.is_host() ? own_memory_[loss] : host_memory_[loss];
    sum += *reinterpret_cast<const double*>(memory.data());
  }
  return sum;
}

std::int64_t ScheduleMemory::bytes() const {
  std::int64_t total = arena_.size_bytes();
  for (const MemoryBlock& block : own_memory_) total += block.size_bytes();
  return total;
}

}  // namespace cnnplan
