// Whether a plan computes what one rank computes: outputs and gradients of one step, side by side.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/training/trainer.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

struct TensorDifference {
  std::string name;  // as in a dump: "/conv1/weight_gradient", "/fc/output", "/loss"
  // ||a - b|| / ||b||, where b is what one rank has. Of gradients, ||b|| is at least a hundredth of
  // what it were if all gradients were equally large: others are rounding, as that of a bias before
  // a batch norm. Of running means, ||b|| is at least that of the standard deviations.
  double relative_error = 0.0;
};

struct Verification {
  std::vector<TensorDifference> tensors;  // the largest difference first
  // The largest difference on one rank when all weights are changed by rounding: thresholds of ReLU
  // and batch norms over few values make much of little.
  double rounding = 0.0;
  double limit = 0.0;  // of every relative error: four times that, or what is always allowed
  // No where something is not finite: nothing is known then.
  bool holds() const {
    return std::isfinite(limit) && (tensors.empty() || tensors.front().relative_error <= limit);
  }
};

// The plan that is compared: batch norms normalise over all ranks, and the layers of chains run in
// order. What it changes of `plan` goes to `note`.
Plan verified_plan(const Plan& plan, const std::function<void(const std::string& text)>& note);

// By tensor of two dumps, but for weights; the largest difference first. What is not finite is
// infinitely far. `tensors`: as dumped_tensors() lists them. @throws IoError, InputError
std::vector<TensorDifference> compare_dumps(const std::string& file,
                                            const std::string& reference_file,
                                            const std::vector<DumpedTensor>& tensors);

// One step of verified_plan(plan) on all ranks, and two on rank 0 alone, on the same mini-batch and
// weights, but for rounding in the last, by the backend, data, weights and seed of `options`. Uses
// files in the folder of temporary ones. Complete on rank 0. Collective. @throws what train()
// throws; InfeasibleError where one rank has not enough memory for the whole mini-batch
Verification verify(const Plan& plan,
                    const TrainingOptions& options,
                    const Communicator& world,
                    const TrainingCallbacks& callbacks);

}  // namespace cnnplan
