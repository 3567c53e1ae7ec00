// What a network computes: the layer before its loss.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/step/schedule_memory.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

LayerIndex output_layer(const Network& network);

// Bytes that rank 0 gathers of the output of a mini-batch.
std::int64_t gathered_bytes(const Plan& plan);

// Its output of the mini-batch that a step was last run on, row-major (N, C, D, H, W), on rank 0;
// empty elsewhere. @pre `memory` is that of `schedule`, which is that of this rank. Collective.
std::vector<double> gather_output(const Plan& plan,
                                  const Schedule& schedule,
                                  const ScheduleMemory& memory,
                                  const Communicator& world);

}  // namespace cnnplan
