// How far the gradient under multigrid is from that of the layers in order.
#pragma once

#include <array>
#include <vector>

#include "executor/step/step_runner.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

struct Gradient {
  std::vector<double> values;  // of this rank's slices, of equal ones only on the first rank
  double loss = 0.0;           // mean over the global mini-batch
  // Of this rank, by the number of cycles that were over, of a chain at most its own: sums over the
  // squares of residuals, forward and backward.
  std::array<std::vector<double>, 2> residual_squares{};
};

// Norms over all parameters of the network. NaN where one of the gradients is not finite.
struct GradientDifference {
  double cosine = 1.0;
  double relative_error = 0.0;       // ||g - g_serial|| / ||g_serial||
  double relative_loss_error = 0.0;  // |loss - loss_serial| / |loss_serial|
};

// The plan with the layers of all chains in order, on the ranks that have them.
Plan serial_plan(const Plan& plan);

// At the present weights, on the mini-batch of state.step; times the loss scale. Of `context`, only
// the arena of gradients changes. Builds a runner for the one step. Collective.
// @pre the parameters of `context` are those of `plan`, with or without multigrid
Gradient gradient_under(const Plan& plan, const StepContext& context, const StepState& state);

// Norms over all ranks. Collective.
std::vector<double> norms(std::vector<double> squares, const Communicator& world);

// Collective.
GradientDifference difference(const Gradient& gradient,
                              const Gradient& serial,
                              const Communicator& world);

}  // namespace cnnplan
