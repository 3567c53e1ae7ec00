// Measures how far the gradient under multigrid is from the gradient of the layers in order.
#pragma once

#include <array>
#include <vector>

#include "executor/step/step_runner.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds this rank's part of a gradient, as gradient_under() computes it.
struct Gradient {
  // Holds this rank's slices of all parameters. Of ranks with equal slices, only the first has
  // them.
  std::vector<double> values;
  double loss = 0.0;  // mean over the global mini-batch
  // Holds sums of this rank's squared residuals, forward and backward, indexed by completed cycles.
  // A chain with fewer cycles adds its last residual to the later entries.
  std::array<std::vector<double>, 2> residual_squares{};
};

// Compares gradients by norms over all parameters of the network, which are NaN when a gradient is
// not finite.
struct GradientDifference {
  double cosine = 1.0;               // of the angle between both gradients
  double relative_error = 0.0;       // ||g - g_serial|| / ||g_serial||
  double relative_loss_error = 0.0;  // |loss - loss_serial| / |loss_serial|
};

// Returns the plan with all chains run layer by layer, on the ranks that have the layers.
Plan serial_plan(const Plan& plan);

// Computes the gradient at the present weights on the mini-batch of state.step. Its values are
// multiplied by the loss scale, but its residuals are not. The function builds a runner for this
// one step. Of the objects in `context`, it changes the gradient arena, and it gathers weights that
// are in shards. This call is collective and blocks.
// @pre the parameters of `context` belong to `plan`, with or without multigrid
// @throws as the constructor of StepRunner and StepRunner::run()
Gradient gradient_under(const Plan& plan, const StepContext& context, const StepState& state);

// Sums each element of `squares` over all ranks, and returns the square roots of the sums on all
// ranks. This call is collective and blocks.
std::vector<double> norms(std::vector<double> squares, const Communicator& world);

// Compares two gradients of the same parameters over all ranks, which get equal results. This call
// is collective and blocks.
GradientDifference difference(const Gradient& gradient,
                              const Gradient& serial,
                              const Communicator& world);

}  // namespace cnnplan
