// Runs some training steps of a plan, and gathers everything that they computed, for comparison.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/data/data_source.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan::test {

struct RunSetup {
  std::string backend = "onednn";
  bool overlap = false;  // as in StepContext
  bool graphs = false;   // as in StepContext; then steps are timed as a whole
  std::uint64_t seed = 1;
  int steps = 2;
  double loss_scale = 1.0;     // gradients and momentum of the result are without it
  double perturbation = 0.0;   // relative change of every first weight, its sign by index parity
  DataSource* data = nullptr;  // null: SyntheticData of the seed
};

using NamedValues = std::map<std::string, std::vector<double>>;  // "conv1/weight"

struct RunResult {
  std::vector<double> loss;  // by step
  // This is the output of the layer before the loss in the last step, in the order of (N, C, D, H,
  // W). It is gathered on rank 0 and empty elsewhere.
  std::vector<double> output;
  // These are whole tensors on every rank. The rank's own part is the one that it holds itself.
  NamedValues gradients;  // of the last step
  NamedValues momentum;   // after the last step
  NamedValues weights;    // after the last step, and running values of batch norms
  bool operator==(const RunResult&) const = default;
};

// Returns a backend that is kept from run to run. Some backends take long to start, and choices by
// timing must not change.
Backend& kept_backend(const std::string& name);
// Ends all backends that are kept.
void forget_backends();

// Names an implementation for every convolution that all ranks have in common, as a profile would.
// Ranks that choose by timing, each for itself, do not compute the same bits. The plan is unchanged
// if the backend has one implementation of each kernel. Is collective.
Plan with_implementations(const Plan& plan, const std::string& backend, const Communicator& world);

// Also says that the names are from a profile of this device, so that whole trainings use them. So
// two trainings compute the same bits. Is collective.
Plan repeatable(const Plan& plan, const std::string& backend, const Communicator& world);

// Is collective. Bias, scale and shift begin at random values, which reveal more than zeros and
// ones.
RunResult run_plan(const Plan& plan, const RunSetup& setup, const Communicator& world);

// Returns the first kernel of this rank that the backend refuses, with the library's reason.
std::optional<std::string> refused_kernel(const Plan& plan, const std::string& backend, int rank);

// Says whether everything except the output has the same bits on all ranks. Is collective.
bool same_on_all_ranks(const RunResult& result, const Communicator& world);

}  // namespace cnnplan::test
