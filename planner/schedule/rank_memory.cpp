// Adds up a schedule's memory by role of buffers, by operation and by layer.
#include "planner/schedule/rank_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "planner/base/checked.hpp"
#include "planner/schedule/memory_layout.hpp"
#include "planner/schedule/parameter_offsets.hpp"
#include "planner/schedule/stored_samples.hpp"
#include "planner/tensor/peer_message.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

void add_to(std::int64_t& sum, std::int64_t bytes) {
  sum = checked_add(sum, bytes);
}

// Returns the operation that ends the forward pass: the kernel of the last loss.
OperationIndex last_forward(const Schedule& schedule) {
  const auto& operations = schedule.operations;
  const auto computes_loss = [](const Operation& operation) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    return kernel != nullptr && kernel->spec.phase == KernelPhase::forward &&
           (kernel->spec.kind == KernelKind::softmax_cross_entropy ||
            kernel->spec.kind == KernelKind::mean_squared_error);
  };
  const auto last = std::find_if(operations.rbegin(), operations.rend(), computes_loss);
  const auto end = last == operations.rend() ? operations.end() : last.base() - 1;
  return OperationIndex(end - operations.begin());
}

// Returns the bytes of a buffer of parameters for each element. The plan may count another
// optimizer's state in place of momentum.
std::int64_t element_bytes_of(const Schedule& schedule, const Buffer& buffer) {
  const bool is_other_state =
      buffer.role == BufferRole::momentum && schedule.optimizer_state_bytes > 0;
  return is_other_state ? schedule.optimizer_state_bytes : bytes_of(buffer.element);
}

bool is_in_shards(const Schedule& schedule, const Buffer& buffer) {
  return schedule.sharded_update && buffer.role == BufferRole::momentum;
}

std::int64_t stored_parameters_bytes(const Schedule& schedule, DeviceKind device) {
  const std::vector<std::int64_t> offsets = slot_offsets(schedule, device, weight_volume);
  std::int64_t bytes = 0;
  for (const Buffer& buffer : schedule.buffers) {
    if (!is_parameter(buffer.role)) continue;
    const std::int64_t elements =
        is_in_shards(schedule, buffer) ? own_shard_elements(schedule, offsets) : offsets.back();
    add_to(bytes, checked_multiply(elements, element_bytes_of(schedule, buffer)));
  }
  return bytes;
}

// Adds each slot's part of the largest shard of momentum.
void add_momentum_shards(const Schedule& schedule,
                         DeviceKind device,
                         IndexedVector<LayerIndex, std::int64_t>& bytes) {
  const std::int64_t state_bytes = element_bytes_of(schedule, schedule.buffers[schedule.momentum]);
  for (const GradientRange& range : schedule.gradient_ranges) {
    for (SlotIndex i = range.first_slot; i <= range.last_slot; ++i) {
      const ParameterSlot& slot = schedule.slots[i];
      const std::int64_t stored = stored_elements(schedule, slot, device, weight_volume);
      const std::int64_t elements = shard_elements(stored, range.group.size());
      add_to(bytes[slot.layer], checked_multiply(elements, state_bytes));
    }
  }
}

// Returns the staging of one direction of a transfer. `buffer` is -1 where nothing moves; it holds
// `box` of the list. With `in_place`, a message may be memory of the buffer.
std::int64_t staging_bytes(const Schedule& schedule,
                           BufferIndex buffer,
                           const Box& box,
                           std::span<const Piece> pieces,
                           bool in_place) {
  if (buffer < 0) return 0;
  std::int64_t elements = 0;
  for (const PeerMessage& message : messages_of(pieces, box)) {
    const bool needs_memory = message.peer != schedule.rank && (message.staged || !in_place);
    if (needs_memory) add_to(elements, message.elements);
  }
  return checked_multiply(elements, bytes_of(schedule.buffers[buffer].element));
}

}  // namespace

bool in_arena(BufferRole role) {
  return role == BufferRole::activation || role == BufferRole::error_signal ||
         role == BufferRole::scratch;
}

bool is_parameter(BufferRole role) {
  return role == BufferRole::weights || role == BufferRole::gradients ||
         role == BufferRole::momentum || role == BufferRole::weight_copies;
}

bool is_activation_apart(BufferRole role) {
  return role == BufferRole::data || role == BufferRole::state;
}

std::int64_t staging_bytes(const Schedule& schedule, const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  if (transfer == nullptr) return 0;
  return checked_add(
      staging_bytes(
          schedule, transfer->source, source_box(schedule, *transfer), transfer->list.sends, true),
      staging_bytes(schedule,
                    transfer->destination,
                    destination_box(schedule, *transfer),
                    transfer->list.receives,
                    !transfer->accumulate));
}

std::int64_t workspace_bytes(const Schedule& schedule, const Workspaces& workspaces) {
  if (workspaces.bytes.empty()) return 0;
  std::vector<std::int64_t> by_lane(schedule.lanes);
  for (const OperationIndex i : schedule.operations.indices()) {
    const std::int64_t bytes = workspaces.bytes[i];
    std::int64_t& lane = by_lane[schedule.operations[i].lane];
    lane = workspaces.shared ? std::max(lane, bytes) : checked_add(lane, bytes);
  }
  std::int64_t sum = 0;
  for (std::int64_t bytes : by_lane) add_to(sum, bytes);
  return sum;
}

MemoryUse memory_of(const Schedule& schedule, const Workspaces& workspaces) {
  MemoryUse use;
  use.parameters_bytes = stored_parameters_bytes(schedule, workspaces.device);
  use.activations_bytes = schedule.arena_bytes;
  for (const BufferIndex i : schedule.buffers.indices()) {
    const Buffer& buffer = schedule.buffers[i];
    if (is_activation_apart(buffer.role)) {
      add_to(use.activations_bytes, stored_bytes(schedule, i, workspaces.device));
    } else if (!is_parameter(buffer.role) && !in_arena(buffer.role)) {
      add_to(use.buffers_bytes, buffer.bytes);
    }
  }
  for (const Operation& operation : schedule.operations) {
    add_to(use.buffers_bytes, staging_bytes(schedule, operation));
  }
  add_to(use.buffers_bytes, workspace_bytes(schedule, workspaces));
  return use;
}

MemoryUse memory_within(const MemoryLimit& limit,
                        Schedule& schedule,
                        const Workspaces& workspaces) {
  const auto use = [&] {
    MemoryUse sum = memory_of(schedule, workspaces);
    sum.process_bytes = limit.process_bytes;
    return sum;
  };
  schedule.arena_bytes = most_arena_bytes(schedule);
  const MemoryUse most = use();
  if (fits(most.total_bytes(), limit.available_bytes)) return most;
  place_buffers(schedule);
  return use();
}

MemoryUse most_of(std::span<const MemoryUse> ranks, std::int64_t available_bytes) {
  MemoryUse most;
  for (const MemoryUse& use : ranks) {
    if (use.total_bytes() >= most.total_bytes()) most = use;
  }
  most.available_bytes = available_bytes;
  return most;
}

bool fits(std::int64_t bytes, std::int64_t available_bytes) {
  return available_bytes <= 0 || bytes <= available_bytes;
}

IndexedVector<LayerIndex, std::int64_t> kept_bytes(const Schedule& schedule, DeviceKind device) {
  const OperationIndex loss = last_forward(schedule);
  IndexedVector<LayerIndex, std::int64_t> kept(schedule.outputs.size(), 0);
  for (const BufferIndex i : schedule.buffers.indices()) {
    const Buffer& buffer = schedule.buffers[i];
    const bool is_kept =
        is_activation_apart(buffer.role) || (in_arena(buffer.role) && buffer.last_use > loss);
    if (!is_kept || buffer.first_use < 0 || buffer.first_use > loss) continue;
    const Operation& first = schedule.operations[buffer.first_use];
    add_to(kept[first.layer], stored_bytes(schedule, i, device));
  }
  return kept;
}

IndexedVector<LayerIndex, std::int64_t> parameter_bytes(const Schedule& schedule,
                                                        DeviceKind device) {
  std::int64_t element_bytes = 0;
  for (const Buffer& buffer : schedule.buffers) {
    if (is_parameter(buffer.role) && !is_in_shards(schedule, buffer)) {
      add_to(element_bytes, element_bytes_of(schedule, buffer));
    }
  }
  IndexedVector<LayerIndex, std::int64_t> bytes(schedule.outputs.size(), 0);
  for (const ParameterSlot& slot : schedule.slots) {
    const std::int64_t elements = stored_elements(schedule, slot, device, weight_volume);
    add_to(bytes[slot.layer], checked_multiply(elements, element_bytes));
  }
  if (schedule.sharded_update) add_momentum_shards(schedule, device, bytes);
  return bytes;
}

IndexedVector<LayerIndex, std::int64_t> layer_bytes(const Schedule& schedule, DeviceKind device) {
  IndexedVector<LayerIndex, std::int64_t> bytes = kept_bytes(schedule, device);
  const IndexedVector<LayerIndex, std::int64_t> parameters = parameter_bytes(schedule, device);
  for (const LayerIndex layer : bytes.indices()) bytes[layer] += parameters[layer];
  return bytes;
}

}  // namespace cnnplan
