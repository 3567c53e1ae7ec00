// Trains a small network while one rank alters what some of its kernels computed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "executor/training/trainer.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// Alters operands of kernels for which `concerns` is true, after each of their runs.
struct Alteration {
  int rank = -1;  // the rank that does it; -1: none
  std::function<bool(const KernelSpec& spec)> concerns;
  std::function<void(Operands operands, const StepState& state)> alter;
};

// Returns a plan for a convolution of 3x3, a batch norm that normalises over the samples of each
// rank, a ReLU and a fully connected layer.
Plan plan_on(Axis axis, const Communicator& world);

// Returns options of six steps on made-up samples.
TrainingOptions altered(const Alteration& alteration, const Communicator& world);

// Returns the message of a training that ends with this exit code; empty if it does not fail.
std::string message_of(const Plan& plan,
                       const TrainingOptions& options,
                       ExitCode code,
                       const Communicator& world);

}  // namespace cnnplan::test
