// What a network computes: the layer before its loss.
#pragma once

#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/training/schedule_memory.hpp"
#include "planner/model/plan.hpp"

namespace cnnplan {

LayerIndex output_layer(const Network& network);

// Its output of the mini-batch that a step was last run on, row-major (N, C, D, H, W), on rank 0;
// empty elsewhere. @pre `memory` is that of `schedule`, which is that of this rank. Collective.
std::vector<double> gather_output(const Plan& plan,
                                  const Schedule& schedule,
                                  const ScheduleMemory& memory,
                                  const Communicator& world);

}  // namespace cnnplan
