// Says how samples lie in the memory of a device, which may store further channels of zeros with
// them (stored_channels in planner/kernel/kernel.hpp).
//
// Only the samples that Schedule::data_reader reads have such channels, and so has the weight of
// this layer. Messages, files and everything that users see have the channels of the network.
#pragma once

#include <cstdint>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the box that a buffer holds in the memory of the device. Channels of zeros are added at
// its end.
Box stored_box(const Schedule& schedule, BufferIndex buffer, DeviceKind device);
// Returns the bytes of a buffer in the memory of the device.
std::int64_t stored_bytes(const Schedule& schedule, BufferIndex buffer, DeviceKind device);
// Returns the kernel that the device runs: the channels of its input are those that are stored.
KernelSpec stored_spec(const Schedule& schedule,
                       const KernelOperation& operation,
                       DeviceKind device);
// Returns ParameterSlot::forward of a weight in the same way. @pre the slot is a weight's
KernelSpec stored_forward(const Schedule& schedule, const ParameterSlot& slot, DeviceKind device);

}  // namespace cnnplan
