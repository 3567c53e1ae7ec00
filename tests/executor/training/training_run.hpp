// Some training steps of a plan, and everything they computed, gathered for comparison.
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
  bool graphs = false;   // likewise; then steps are timed as a whole
  std::uint64_t seed = 1;
  int steps = 2;
  double loss_scale = 1.0;     // gradients and momentum of the result are without it
  double perturbation = 0.0;   // relative change of every first weight, its sign by index parity
  DataSource* data = nullptr;  // null: SyntheticData of the seed
};

using NamedValues = std::map<std::string, std::vector<double>>;  // "conv1/weight"

struct RunResult {
  std::vector<double> loss;    // by step
  std::vector<double> output;  // of the layer before the loss in the last step, in the order of
                               // (N, C, D, H, W); gathered on rank 0, empty elsewhere
  // Whole tensors on every rank; what a rank has of them itself is its own.
  NamedValues gradients;  // of the last step
  NamedValues momentum;   // after the last step
  NamedValues weights;    // after the last step, and running values of batch norms
  bool operator==(const RunResult&) const = default;
};

// Backends are kept from run to run: some take long to start, and what they chose by timing stays.
Backend& kept_backend(const std::string& name);
// Ends all that are kept.
void forget_backends();

// The plan with an implementation of every convolution that all ranks have in common, as from a
// profile: ranks that choose by timing, each for itself, do not compute the same bits. Unchanged
// where the backend has one implementation of each kernel. Collective.
Plan with_implementations(const Plan& plan, const std::string& backend, const Communicator& world);

// The same, and said to be from a profile of this device, so that whole trainings keep to the
// names: two of them compute the same bits. Collective.
Plan repeatable(const Plan& plan, const std::string& backend, const Communicator& world);

// Collective. Bias, scale and shift begin at random values, which tell more than zeros and ones.
RunResult run_plan(const Plan& plan, const RunSetup& setup, const Communicator& world);

// The first kernel of this rank that the backend refuses, with the library's reason.
std::optional<std::string> refused_kernel(const Plan& plan, const std::string& backend, int rank);

// Whether all but the output has the same bits on all ranks. Collective.
bool same_on_all_ranks(const RunResult& result, const Communicator& world);

}  // namespace cnnplan::test
