// Runs a network over data and writes its outputs.
#pragma once

#include <cstdint>
#include <string>

#include "executor/training/trainer.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan {

// Says what an inference wrote, and how long it took.
struct InferenceReport {
  std::string tensor;        // "/fc/output": the output of the layer before the loss
  std::int64_t samples = 0;  // whose outputs were written
  // Holds the times of forward passes of a mini-batch on the slowest rank. The first pass counts
  // only if there is no other.
  Statistics step;
  double predicted_s = 0.0;  // from the plan; 0: the plan has no prediction
  bool in_turns = false;     // as in RunReport
};

// Makes one pass over `options.data_file` in its order, or over one made-up mini-batch. The pass is
// forward only: batch norms use running values, dropout passes its input through, and chains run as
// the plan says. Labels are not needed. These options count: backend, deterministic, workspace,
// engine trials, NCCL, data file, augmentation, weights file and seed. Graphs do not.
//
// Rank 0 writes the outputs of each mini-batch to a temporary file next to `file`, and gives it its
// name after the last one. Elements are float64 for fp64, else float32. An error removes the
// temporary file. A killed process leaves it; its name ends in `.partial`. This call is collective.
// @throws as train() does; NotFiniteError for an output that is not finite; InfeasibleError when
// rank 0 cannot gather the outputs of a mini-batch
InferenceReport infer(const Plan& plan,
                      const TrainingOptions& options,
                      const std::string& file,
                      const Communicator& world,
                      const TrainingCallbacks& callbacks);

}  // namespace cnnplan
