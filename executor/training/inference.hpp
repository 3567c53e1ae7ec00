// Runs a network over data and writes what it computes.
#pragma once

#include <cstdint>
#include <string>

#include "executor/training/trainer.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan {

struct InferenceReport {
  std::string tensor;  // "/fc/output": the output of the layer before the loss
  std::int64_t samples = 0;
  // Forward passes of a mini-batch, on the slowest rank, without the first unless there are no
  // others.
  Statistics step;
  double predicted_s = 0.0;  // by the plan; 0: it does not say
};

// One pass over `options.data_file` in its order, which need have no labels, or one made-up
// mini-batch: forward only, batch norm with running values, dropout passes through, chains as the
// plan runs them. Of the options, those of devices and of data, weights and seed count. `file` is
// written by rank 0, float64 for fp64, else float32, when all is done, or not at all; only a
// process that is killed leaves a `.partial` beside it. Collective.
// @throws as train(); NotFiniteError for an output that is not finite; InfeasibleError for outputs
// of a mini-batch that rank 0 cannot gather
InferenceReport infer(const Plan& plan,
                      const TrainingOptions& options,
                      const std::string& file,
                      const Communicator& world,
                      const TrainingCallbacks& callbacks);

}  // namespace cnnplan
