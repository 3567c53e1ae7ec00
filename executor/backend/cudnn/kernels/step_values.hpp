// Holds the values of a step that kernels read in memory of the device. So a captured graph stays
// valid from step to step.
#pragma once

#include <cstdint>

namespace cnnplan::cudnn {

// The fields mean what the fields of StepState (executor/backend/backend.hpp) mean.
struct StepValues {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  double learning_rate = 0.0;
  double momentum = 0.0;
  double weight_decay = 0.0;
  double loss_scale = 1.0;
  bool training = true;
};

}  // namespace cnnplan::cudnn
