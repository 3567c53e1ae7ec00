// Verifies that a plan computes what one rank computes, by outputs and gradients of one step.
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
  // The error is ||a - b|| / ||b||, where b is the tensor of one rank. For gradients, ||b|| counts
  // as at least a hundredth of the norm that it would have if all elements of all gradients were
  // equally large. Smaller gradients are mere rounding, for example of a bias before a batch norm.
  // For running means, ||b|| is at least the norm of the standard deviations.
  double relative_error = 0.0;
};

struct Verification {
  std::vector<TensorDifference> tensors;  // the largest difference first
  // Holds the largest difference on one rank when all weights are changed by rounding. Thresholds
  // of ReLU and batch norms over few values can amplify rounding.
  double rounding = 0.0;
  double limit = 0.0;  // for every relative error: four times `rounding`, or a minimum by precision
  // Returns false if a value is not finite, because then nothing is known.
  bool holds() const {
    return std::isfinite(limit) && (tensors.empty() || tensors.front().relative_error <= limit);
  }
};

// Returns the plan that is compared: batch norms normalise over all ranks, and chains run their
// layers in order. `note` gets a sentence about each change of `plan`.
Plan verified_plan(const Plan& plan, const std::function<void(const std::string& text)>& note);

// Compares the tensors of two dumps except weights, with the largest difference first. Values that
// are not finite count as infinitely far apart. `tensors` comes from dumped_tensors().
// @throws IoError, InputError
std::vector<TensorDifference> compare_dumps(const std::string& file,
                                            const std::string& reference_file,
                                            const std::vector<DumpedTensor>& tensors);

// Runs one step of verified_plan(plan) on all ranks and two steps on rank 0 alone. All steps use
// one mini-batch and equal weights, except that rounding changes the weights of the last step.
// `options` gives the backend, data, weights and seed. Files go to the folder for temporary files.
//
// Only rank 0 gets the complete result. This call is collective.
// @throws as train() does; InfeasibleError when one rank has too little memory for the whole
// mini-batch
Verification verify(const Plan& plan,
                    const TrainingOptions& options,
                    const Communicator& world,
                    const TrainingCallbacks& callbacks);

}  // namespace cnnplan
