// Measures the memory that a process takes before it has parameters worth mentioning.
#pragma once

#include <cstdint>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Returns a network of a few thousand parameters, whose kernels take next to no time.
Network small_network();

// Trains a network of a few thousand parameters for a step, so that MPI, the kernel library and the
// connections of the ranks have allocated what they keep. Returns the largest Device::peak_bytes()
// of all ranks, equal on every rank. Call it before anything large was allocated. This call is
// collective and blocks.
// @throws as the constructor of StepRunner and StepRunner::run()
std::int64_t empty_run_bytes(const Communicator& world, Backend& backend);

}  // namespace cnnplan
