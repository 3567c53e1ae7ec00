// Makes sure that all ranks of the program run on devices of one kind, and describes it. Tells
// where times would not be those of the devices.
#pragma once

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/kernel/profile.hpp"

namespace cnnplan {

// Returns `own`, the fingerprint of this rank's backend, with `busy_ranks` filled in. The result is
// equal on every rank. This call is collective and blocks.
// @throws EnvironmentError on all ranks, naming both devices, when a rank's device differs from
// rank 0's
DeviceFingerprint common_fingerprint(DeviceFingerprint own,
                                     int busy_ranks,
                                     const Communicator& world);

// Checks that ranks do not take turns on a GPU (take_turns() of node_memory.hpp), which would make
// their times those of the turns. It is collective and blocks.
// @throws EnvironmentError on all ranks
void require_speed(const Communicator& world, const Device& device);

}  // namespace cnnplan
