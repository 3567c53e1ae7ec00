// Adds channels to the samples, to the kernels that read them, and to their weight.
#include "planner/schedule/stored_samples.hpp"

#include <algorithm>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// True for the buffer of samples, if only convolutions read it. A rank without samples has another
// buffer in its place.
bool may_have_zeros(const Schedule& schedule, BufferIndex buffer) {
  return buffer >= 0 && buffer == schedule.data && schedule.data_reader >= 0 &&
         schedule.buffers[buffer].role == BufferRole::data;
}

KernelSpec with_stored_channels(KernelSpec spec, DeviceKind device) {
  spec.in[Dim::c] = stored_channels(spec.in[Dim::c], activation_element(spec.precision), device);
  return spec;
}

}  // namespace

Box stored_box(const Schedule& schedule, BufferIndex index, DeviceKind device) {
  const Buffer& buffer = schedule.buffers.at(index);
  Box box = buffer.box;
  if (!may_have_zeros(schedule, index) || is_empty(box)) return box;
  Range& channels = box[Dim::c];
  channels.end =
      channels.begin + stored_channels(channels.size(), element_type(buffer.element), device);
  return box;
}

std::int64_t stored_bytes(const Schedule& schedule, BufferIndex index, DeviceKind device) {
  const Buffer& buffer = schedule.buffers.at(index);
  if (!may_have_zeros(schedule, index)) return buffer.bytes;
  return checked_multiply(volume(stored_box(schedule, index, device)), bytes_of(buffer.element));
}

KernelSpec stored_spec(const Schedule& schedule,
                       const KernelOperation& operation,
                       DeviceKind device) {
  const bool reads_samples = std::any_of(
      operation.operands.begin(), operation.operands.end(), [&](const Operand& operand) {
        return may_have_zeros(schedule, operand.buffer);
      });
  return reads_samples ? with_stored_channels(operation.spec, device) : operation.spec;
}

KernelSpec stored_forward(const Schedule& schedule, const ParameterSlot& slot, DeviceKind device) {
  const bool reads_samples = schedule.data_reader >= 0 && slot.layer == schedule.data_reader &&
                             slot.role == ParameterRole::weight;
  return reads_samples ? with_stored_channels(slot.forward, device) : slot.forward;
}

}  // namespace cnnplan
