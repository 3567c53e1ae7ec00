// The device that all ranks of the program run on.
#pragma once

#include "executor/comm/communicator.hpp"
#include "planner/kernel/profile.hpp"

namespace cnnplan {

// `own` with that many busy ranks, on every rank alike. Collective, blocking.
// @throws EnvironmentError on all ranks, naming both devices, where that of a rank is not rank 0's
DeviceFingerprint common_fingerprint(DeviceFingerprint own,
                                     int busy_ranks,
                                     const Communicator& world);

}  // namespace cnnplan
