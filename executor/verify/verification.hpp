// Verifies a plan: its step against one rank in double, and its kernels against the reference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/training/trainer.hpp"
#include "executor/verify/checked_backend.hpp"
#include "executor/verify/tensor_comparison.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Says how a verification ended. With `too_sensitive`, rounding in this precision may explain the
// differences alone, or would hide a fault as large as a tensor. It also stands for an exact step
// that is not finite, so that little can be compared.
enum class Verdict { equal, different, too_sensitive };

// Sums up the kernels of all ranks. Each is compared with the reference in double, on the inputs
// that it had.
struct KernelChecks {
  KernelFinding worst;
  int rank = 0;          // that found it
  double checked = 0.0;  // number of results that were compared
  double results = 0.0;  // number of all results
};

// Holds the result of a verification.
struct Verification {
  std::vector<TensorComparison> tensors;  // the largest excess first
  KernelChecks kernels;
  std::string blunt;              // a tensor that rounding changes by half its size; empty: none
  double seconds = 0.0;           // that the runs on one rank took
  std::int64_t memory_bytes = 0;  // that one rank needed for them at a time

  // Returns a tensor whose norm on one rank is not finite; empty: none.
  std::string infinite_tensor() const;
  Verdict verdict() const;
};

// An error beyond this multiple of its limit is a fault, not rounding.
inline constexpr double certain_excess = 10.0;

// Returns the plan that is compared: batch norms normalise over all ranks, and chains run their
// layers in order. `note` gets a sentence about each change of `plan`.
Plan verified_plan(const Plan& plan, const std::function<void(const std::string& text)>& note);

// Runs one step of the plan, in which each kernel is checked, and one step of verified_plan(plan)
// without checks. Checks wait for each kernel, and so hide faults in the order of overlapping work.
// Then rank 0 alone runs verified_plan(plan) in double on the weights and samples of the plan: once
// exactly, and three times with the roundings of the plan's precision, from which the limits
// follow. `options` gives the backend, data, weights and seed. Files go to a temporary folder on
// the node of rank 0.
//
// Only rank 0 gets the complete result. This call is collective.
// @throws as train() does; IoError for the temporary folder; InfeasibleError when one rank has too
// little memory for the whole mini-batch in double
Verification verify(const Plan& plan,
                    const TrainingOptions& options,
                    const Communicator& world,
                    const TrainingCallbacks& callbacks);

}  // namespace cnnplan
