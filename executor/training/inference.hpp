// Runs a network over data and writes what it computes.
#pragma once

#include <cstdint>
#include <string>

#include "executor/training/trainer.hpp"
#include "planner/model/statistics.hpp"

namespace cnnplan {

// The same on all ranks but the times, which are those of rank 0.
struct InferenceReport {
  std::string tensor;  // "/fc/output": the output of the layer before the loss
  std::int64_t samples = 0;
  Statistics step;  // forward passes of a mini-batch but the first, unless there are no others
};

// One pass over `options.data_file` in its order, which need have no labels, or one made-up
// mini-batch: forward only, batch norm with running values, dropout passes through. Of the options,
// those of devices and of data, weights and seed count. `file` is written by rank 0, float64 for
// fp64, else float32, when all is done, or not at all. Collective.
// @throws as train(); NotFiniteError for an output that is not finite
InferenceReport infer(const Plan& plan,
                      const TrainingOptions& options,
                      const std::string& file,
                      const Communicator& world,
                      const TrainingCallbacks& callbacks);

}  // namespace cnnplan
