// Makes sure that all ranks of the program run on devices of one kind, and describes it.
#pragma once

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

}  // namespace cnnplan
