// Tests how gradients under multigrid are compared with gradients of the layers in order.
#include "executor/training/gradient_check.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/synthetic_data.hpp"
#include "tests/executor/training/residual_plan.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr StepState first_step{.seed = 1, .learning_rate = 0.1, .momentum = 0.9};

// Holds the parameters of a plan as a training begins with them.
class Parameters {
 public:
  Parameters(const Plan& plan, const Communicator& world)
      : backend_(make_backend("reference", {.deterministic = true})),
        schedule_(lower(plan, world.rank())),
        data_(batch_shape(plan.network, plan.batch, plan.precision), 1),
        store_(schedule_, plan.network, plan.precision, *backend_),
        groups_(world) {
    initialize(store_, plan.network, 1);
  }
  const Schedule& schedule() const { return schedule_; }
  const ParameterStore& store() const { return store_; }
  StepContext context() {
    return {.backend = backend_.get(),
            .parameters = &store_,
            .groups = &groups_,
            .data = &data_,
            .in_place_of_communication = {}};
  }

 private:
  std::unique_ptr<Backend> backend_;
  Schedule schedule_;
  SyntheticData data_;
  ParameterStore store_;
  Groups groups_;
};

GradientDifference difference_with(int cycles, const Communicator& world) {
  const Plan plan = residual_plan(world.size(), cycles);
  Parameters parameters(plan, world);
  const Gradient serial = gradient_under(serial_plan(plan), parameters.context(), first_step);
  return difference(gradient_under(plan, parameters.context(), first_step), serial, world);
}

// Returns all values that a check must not change.
std::vector<std::vector<double>> contents(const ParameterStore& store, LayerIndex batch_norm) {
  std::vector<std::vector<double>> values;
  for (const SlotIndex slot : store.slots().indices()) {
    values.push_back(store.plain(ParameterArena::weights, slot));
    values.push_back(store.plain(ParameterArena::momentum, slot));
  }
  values.push_back(store.running().values(batch_norm, false));
  values.push_back(store.running().values(batch_norm, true));
  return values;
}

Communicator self(const Communicator& world) {
  return Communicator::group(world, {world.rank()});
}

// Returns a gradient with these values on the first rank, and with none on other ranks.
Gradient on_first_rank(const Communicator& world, std::vector<double> values) {
  return {.values = world.rank() == 0 ? std::move(values) : std::vector<double>{}, .loss = 2.0};
}

}  // namespace

TEST_CASE("difference: as many cycles as coarse steps compute what the layers compute") {
  const GradientDifference found = difference_with(coarse_steps, Communicator::world());
  CHECK(found.cosine == relative(1.0, 1e-14));
  CHECK(found.relative_error < 1e-12);
  CHECK(found.relative_loss_error < 1e-12);
}

TEST_CASE("difference: fewer cycles are close, and more cycles are closer") {
  const Communicator world = Communicator::world();
  const GradientDifference one = difference_with(1, world);
  const GradientDifference two = difference_with(2, world);
  CHECK(one.relative_error > 1e-4);
  CHECK(one.relative_error < 1.0);
  CHECK(one.relative_loss_error > 1e-9);
  CHECK(one.cosine < 1.0);
  CHECK(two.relative_error < one.relative_error / 2);
  CHECK(two.cosine > one.cosine);
}

TEST_CASE("difference: on the same samples, states of the step before become those of the layers") {
  const Communicator world = Communicator::world();
  Plan plan = residual_plan(world.size(), 1);
  plan.multigrid[0].first_guess = FirstGuess::previous;
  Parameters parameters(plan, world);
  StepContext context = parameters.context();
  const Gradient serial = gradient_under(serial_plan(plan), context, first_step);
  const double from_zeros =
      difference(gradient_under(plan, context, first_step), serial, world).relative_error;
  context.updates = false;
  StepRunner runner(parameters.schedule(), context);
  // The states are complete half-way, and the rest of the steps completes the backward states.
  for (int step = 1; step < 2 * coarse_steps; ++step) runner.run(first_step);
  const SavedChainStates states = runner.memory().chain_states();
  context.states = &states;
  const double from_states =
      difference(gradient_under(plan, context, first_step), serial, world).relative_error;
  CHECK(from_zeros > 1e-3);
  CHECK(from_states < 1e-12);
}

TEST_CASE("difference: does not depend on the number of ranks") {
  const Communicator world = Communicator::world();
  for (const int cycles : {1, 2}) {
    const GradientDifference together = difference_with(cycles, world);
    const GradientDifference alone = difference_with(cycles, self(world));
    CHECK(std::abs(together.cosine - alone.cosine) < 1e-12);
    CHECK(std::abs(together.relative_error - alone.relative_error) < 1e-9 * alone.relative_error);
    CHECK(std::abs(together.relative_loss_error - alone.relative_loss_error) < 1e-12);
  }
}

TEST_CASE("gradient_under: every parameter counts once") {
  const Communicator world = Communicator::world();
  const Plan plan = residual_plan(world.size(), 1);
  Parameters parameters(plan, world);
  const Gradient gradient = gradient_under(plan, parameters.context(), first_step);
  double values[] = {static_cast<double>(gradient.values.size())};
  world.allreduce(values, AllreduceAlgorithm::library);
  std::int64_t expected = 0;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    expected += plan.network.parameter_count(layer);
  }
  CHECK(values[0] == static_cast<double>(expected));
}

TEST_CASE("gradient_under: weights, momentum and running values stay as they are") {
  const Communicator world = Communicator::world();
  const Plan plan = residual_plan(world.size(), 1);
  const LayerIndex batch_norm = plan.network.index_of("bn").value();
  Parameters parameters(plan, world);
  StepRunner runner(parameters.schedule(), parameters.context());
  runner.run(first_step);
  const auto before = contents(parameters.store(), batch_norm);
  gradient_under(plan, parameters.context(), first_step);
  gradient_under(serial_plan(plan), parameters.context(), first_step);
  CHECK(contents(parameters.store(), batch_norm) == before);
  runner.run(first_step);
  CHECK(contents(parameters.store(), batch_norm) != before);
}

TEST_CASE("difference: cosine, and norm of the difference by that of the serial gradient") {
  const Communicator world = Communicator::world();
  const auto between = [&](std::vector<double> gradient, std::vector<double> serial) {
    return difference(
        on_first_rank(world, std::move(gradient)), on_first_rank(world, std::move(serial)), world);
  };
  CHECK(between({0.0, 2.0}, {1.0, 0.0}).cosine == 0.0);
  CHECK(between({0.0, 2.0}, {1.0, 0.0}).relative_error == relative(std::sqrt(5.0), 1e-6));
  CHECK(between({-3.0, -4.0}, {3.0, 4.0}).cosine == -1.0);
  CHECK(between({-3.0, -4.0}, {3.0, 4.0}).relative_error == 2.0);
  CHECK(between({0.0}, {0.0}).cosine == 1.0);
  CHECK(between({0.0}, {0.0}).relative_error == 0.0);
  CHECK(between({0.0}, {0.0}).relative_loss_error == 0.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(between({nan}, {1.0}).cosine));
  CHECK(std::isnan(between({nan}, {1.0}).relative_error));
}

}  // namespace cnnplan::test
