// Tests that gradients of random networks are the slopes of their loss. Comparisons of plans cannot
// see an error of the lowering that is also present on one rank.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

constexpr double change = 1e-6;  // of every weight, in part
constexpr double tolerance = 1e-6;
constexpr int cases = 60;

RunSetup setup_with(int steps, double perturbation) {
  return {.backend = "reference", .seed = 7, .steps = steps, .perturbation = perturbation};
}

double loss_of(const Plan& plan, double perturbation, const Communicator& world) {
  return run_plan(plan, setup_with(1, perturbation), world).loss.at(0);
}

// Holds the gain of the loss relative to the change of the weights, as the gradients predict it,
// and the largest gain that they allow.
struct Slope {
  double gain = 0.0;
  double size = 0.0;
};

Slope slope_of(const Plan& plan, const Communicator& world) {
  const NamedValues weights = run_plan(plan, setup_with(0, 0.0), world).weights;
  Slope slope;
  for (const auto& [name, gradients] : run_plan(plan, setup_with(1, 0.0), world).gradients) {
    const std::vector<double>& values = weights.at(name);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const double gain = gradients[i] * values[i];
      slope.gain += i % 2 == 0 ? gain : -gain;
      slope.size += std::abs(gain);
    }
  }
  return slope;
}

}  // namespace

TEST_CASE("Training: gradients are the slopes of the loss") {
  const Communicator world = Communicator::world();
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    Plan plan = random_plan(seed, world.size());
    plan.precision = Precision::fp64;
    const Slope slope = slope_of(plan, world);
    const double measured =
        (loss_of(plan, change, world) - loss_of(plan, -change, world)) / (2 * change);
    CHECK(std::abs(measured - slope.gain) <= tolerance * slope.size);
  }
}

}  // namespace cnnplan::test
