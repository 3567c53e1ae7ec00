// Says how much memory a training needs on a rank.
#pragma once

#include <cstdint>

#include "executor/training/trainer.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the bytes that a training needs on a rank. Steps, gradient checks and evaluations run one
// after the other, so the largest of them counts. An evaluation counts even if `options` have no
// test file. Where checks or evaluations run, the states of chains and the two gradients of a check
// are kept meanwhile, so they are added. So are the bytes of the process itself that the plan
// predicts. Samples that are read ahead do not count, nor do workspaces of kernels. `schedule` is
// the training schedule of `plan` on this rank, and `device` runs it.
std::int64_t needed_bytes(const Plan& plan,
                          const Schedule& schedule,
                          const TrainingOptions& options,
                          DeviceKind device);

}  // namespace cnnplan
