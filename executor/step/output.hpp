// Finds the output of a network: the layer before its loss.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/step/schedule_memory.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns the layer whose output is the input of the main loss.
LayerIndex output_layer(const Network& network);

// Returns the bytes of the result of gather_output() on rank 0.
std::int64_t gathered_bytes(const Plan& plan);

// Returns the network's output of the mini-batch of the last step on rank 0, row-major (N, C, D, H,
// W). Other ranks get an empty vector. This call is collective over `world`, and blocks.
// @pre `memory` belongs to `schedule`, which belongs to this rank
std::vector<double> gather_output(const Plan& plan,
                                  const Schedule& schedule,
                                  const ScheduleMemory& memory,
                                  const Communicator& world);

}  // namespace cnnplan
