// Measures the time that a step takes beyond its operations.
#pragma once

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Returns the seconds by which a step takes longer than its operations: the host starts it, waits
// for the device, and reads the loss. Every rank trains small_network() by itself, all at the same
// time, and the result is the median over all steps of all ranks. It is equal on every rank. A
// kernel that fails is left out. The result is 0 on a host, which has no device to wait for. This
// call is collective and blocks.
// @throws DeviceLostError; as Device::allocate()
double step_overhead_s(Backend& backend, const Communicator& world);

}  // namespace cnnplan
