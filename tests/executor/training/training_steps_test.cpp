// Tests trainings whose gradients are checked, and whose cycles and residuals have limits.
#include "executor/training/training_steps.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/hdf5/weights_file.hpp"
#include "executor/training/gradient_check.hpp"
#include "executor/training/training_memory.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/residual_plan.hpp"
#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {
namespace {

TrainingOptions six_steps() {
  return {.backend = tested_backend("reference"),
          .deterministic = true,
          .graphs = Graphs::off,  // with them, steps are not all timed alike
          .steps = 6,
          .warmup = 1,
          .learning_rate = 0.05};
}

TrainingOptions checked_every(std::int64_t period) {
  TrainingOptions options = six_steps();
  options.gradient_check_period = period;
  return options;
}

TrainingOptions limited_to(double limit) {
  TrainingOptions options = checked_every(0);
  options.gradient_limit = limit;
  return options;
}

// Holds the report of a training of all ranks, and the messages that it gave.
struct Told {
  RunReport report;
  std::vector<GradientCheck> checks;
  std::vector<std::string> notes;
};

Told training(int cycles,
              const TrainingOptions& options,
              FirstGuess first_guess = FirstGuess::coarse) {
  const Communicator world = Communicator::world();
  Plan plan = residual_plan(world.size(), cycles);
  plan.multigrid[0].first_guess = first_guess;
  Told told;
  told.report = train(repeatable(plan, options.backend, world),
                      options,
                      world,
                      {.placed = {},
                       .note = [&](const std::string& text) { told.notes.push_back(text); },
                       .progress = {},
                       .checked = [&](const GradientCheck& c) { told.checks.push_back(c); }});
  return told;
}

std::vector<std::int64_t> steps_of(const std::vector<GradientCheck>& checks) {
  std::vector<std::int64_t> steps;
  for (const GradientCheck& check : checks) steps.push_back(check.step);
  return steps;
}

bool has_operation_with(const RunReport& report, const std::string& word) {
  return std::any_of(report.operations.begin(), report.operations.end(), [&](const auto& entry) {
    return entry.id.find(word) != std::string::npos;
  });
}

bool is_first() {
  return Communicator::world().rank() == 0;
}

}  // namespace

TEST_CASE("train: gradient checks do not change the training") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  TrainingOptions options = six_steps();
  options.dump_file = folder.path("without.h5");
  const Told without = training(1, options);
  options.gradient_check_period = 2;
  options.dump_file = folder.path("with.h5");
  const Told with = training(1, options);
  world.barrier();
  CHECK(with.report.loss == without.report.loss);
  const TensorFileReader checked(folder.path("with.h5"));
  const TensorFileReader unchecked(folder.path("without.h5"));
  const std::vector<std::int64_t> three{3};
  for (const char* name : {"/bn/mean", "/bn/variance", "/bn/scale", "/conv5/bias"}) {
    CHECK(checked.read(name, three) == unchecked.read(name, three));
  }
  CHECK(without.report.gradient_checks.empty());
  CHECK(without.checks.empty());
}

TEST_CASE("train: after a gradient check, chains continue from their states") {
  const Told without = training(1, six_steps(), FirstGuess::previous);
  const Told with = training(1, checked_every(2), FirstGuess::previous);
  CHECK(with.report.loss == without.report.loss);
  CHECK(without.report.loss != training(1, six_steps()).report.loss);
  // All steps have the same samples, so the states of later checks have had more cycles.
  const auto& checks = with.report.gradient_checks;
  REQUIRE(checks.size() == 3);
  CHECK(checks[1].relative_error < checks[0].relative_error);
  CHECK(checks[2].relative_error < checks[0].relative_error);
}

TEST_CASE("train: limits of residuals are relative to the residual of a step from zeros") {
  TrainingOptions options = checked_every(20);
  options.steps = 24;
  options.learning_rate = 0.0;  // states come as close as rounding lets them
  const auto checks = training(1, options, FirstGuess::previous).report.gradient_checks;
  REQUIRE(checks.size() == 2);
  CHECK(checks[1].relative_error < 1e-12);
  options.residual_limit =
      1.01 * std::max(checks[0].forward_residuals.back() / checks[0].forward_residuals.front(),
                      checks[0].backward_residuals.back() / checks[0].backward_residuals.front());
  CHECK(training(1, options, FirstGuess::previous).report.gradient_checks == checks);
}

TEST_CASE("train: after an evaluation, chains continue from their states") {
  const DataFile data(std::vector{counted("/samples", FileElement::fp32, {8, 2, 6, 5}, 9),
                                  counted("/labels", FileElement::uint8, {8}, 4)});
  TrainingOptions options = six_steps();
  options.epochs = 3;
  options.data_file = data.file();
  const Told without = training(1, options, FirstGuess::previous);
  options.test_file = data.file();
  const Told with = training(1, options, FirstGuess::previous);
  CHECK(with.report.test_accuracy.size() == 3);
  CHECK(with.report.loss == without.report.loss);
}

TEST_CASE("train: gradients are checked before the first and every N-th step") {
  const Told often = training(1, checked_every(2));
  CHECK(steps_of(often.report.gradient_checks) == std::vector<std::int64_t>{0, 2, 4});
  CHECK(often.checks == (is_first() ? often.report.gradient_checks : std::vector<GradientCheck>{}));
  CHECK(often.notes.empty());
  for (const GradientCheck& check : often.report.gradient_checks) {
    CHECK(check.cycles == 1);
    CHECK(check.relative_error > 0.0);
  }
  const Told once = training(1, checked_every(0));
  CHECK(steps_of(once.report.gradient_checks) == std::vector<std::int64_t>{0});
  CHECK(once.report.gradient_checks[0] == often.report.gradient_checks[0]);
}

TEST_CASE("train: cycles are raised until the gradient is within the limit") {
  const double error_of_two =
      training(2, checked_every(0)).report.gradient_checks[0].relative_error;
  const Told told = training(1, limited_to(error_of_two));
  const auto& checks = told.report.gradient_checks;
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].cycles == 1);
  CHECK(checks[0].relative_error > error_of_two);
  CHECK(checks[1].cycles == 2);
  CHECK(checks[1].relative_error == error_of_two);
  CHECK(told.report.loss == training(2, six_steps()).report.loss);
  CHECK(told.notes.size() == (is_first() ? 1 : 0));
  if (!is_first()) return;
  CHECK(told.notes[0].find("from step 0 on, multigrid has 2 cycles") == 0);
  CHECK(told.report.step.count == 5);
  CHECK(has_operation_with(told.report, "/cycle_2/"));
  CHECK(!has_operation_with(told.report, "/cycle_3/"));
}

TEST_CASE("train: steps are traced unless their cycles were raised") {
  const double error_of_two =
      training(2, checked_every(0)).report.gradient_checks[0].relative_error;
  TrainingOptions options = limited_to(error_of_two);
  options.traced_steps = Range{1, 3};
  CHECK(training(2, options).report.trace.has_value() == is_first());
  const Told told = training(1, options);
  CHECK(!told.report.trace.has_value());
  if (!is_first()) return;
  REQUIRE(told.notes.size() == 2);
  CHECK(told.notes[1].find("no steps are traced") == 0);
}

TEST_CASE("train: cycles are raised until residuals are within the limit") {
  const auto left = [](const GradientCheck& check) {
    return std::max(check.forward_residuals.back() / check.forward_residuals.front(),
                    check.backward_residuals.back() / check.backward_residuals.front());
  };
  const GradientCheck two = training(2, checked_every(0)).report.gradient_checks[0];
  const double other = std::min(two.forward_residuals.back() / two.forward_residuals.front(),
                                two.backward_residuals.back() / two.backward_residuals.front());
  TrainingOptions options = checked_every(0);
  options.residual_limit = left(two) * (1.0 + 1e-12);
  const Told told = training(1, options);
  const auto& checks = told.report.gradient_checks;
  REQUIRE(checks.size() == 2);
  CHECK(left(checks[0]) > *options.residual_limit);
  CHECK(checks[1] == two);
  CHECK(told.report.loss == training(2, six_steps()).report.loss);
  // The limit holds for forward and backward residuals.
  options.residual_limit = other * (1.0 + 1e-12);
  CHECK(training(1, options).report.gradient_checks.back().cycles > 2);
  // With both limits, the one that needs more cycles decides.
  options.residual_limit = 1.0;
  options.gradient_limit = two.relative_error;
  CHECK(training(1, options).report.gradient_checks == checks);
  options.residual_limit = left(two) * (1.0 + 1e-12);
  options.gradient_limit = 1e9;
  CHECK(training(1, options).report.gradient_checks == checks);
}

TEST_CASE("train: if no number of cycles is enough, the layers of chains run in order") {
  const Communicator world = Communicator::world();
  TrainingOptions options = limited_to(0.0);
  options.gradient_check_period = 1;
  const Told told = training(1, options);
  CHECK(steps_of(told.report.gradient_checks) == std::vector<std::int64_t>(coarse_steps - 1, 0));
  const Plan plan = repeatable(residual_plan(world.size(), 1), options.backend, world);
  CHECK(told.report.loss == train(serial_plan(plan), six_steps(), world, {}).loss);
  if (!is_first()) return;
  CHECK(!has_operation_with(told.report, "/cycle_"));
  CHECK(told.notes[0].find("in order") != std::string::npos);
}

TEST_CASE("train: cycles that are raised later count from then on") {
  const std::vector<GradientCheck> checks = training(1, checked_every(3)).report.gradient_checks;
  REQUIRE(checks.size() == 2);
  REQUIRE(checks[1].relative_error > checks[0].relative_error);
  TrainingOptions options = limited_to(checks[0].relative_error);
  options.gradient_check_period = 3;
  const Told told = training(1, options);
  CHECK(steps_of(told.report.gradient_checks) == std::vector<std::int64_t>{0, 3, 3});
  CHECK(told.report.loss.size() == 6);
  if (!is_first()) return;
  CHECK(told.report.step.count == 2);
  CHECK(has_operation_with(told.report, "/cycle_2/"));
}

TEST_CASE("train: a gradient that is not finite ends the training") {
  TrainingOptions options = checked_every(1);
  options.learning_rate = 1e200;
  CHECK_THROWS_WITH_AS(
      training(1, options), doctest::Contains("the gradient of step"), NotFiniteError);
}

TEST_CASE("needed_bytes: checks need residuals or the layers in order, and two gradients") {
  const Plan plan = residual_plan(1, 1);
  const Schedule schedule = lower(plan, 0);
  const std::int64_t without = needed_bytes(plan, schedule, six_steps(), DeviceKind::cpu);
  const std::int64_t with = needed_bytes(plan, schedule, checked_every(0), DeviceKind::cpu);
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : schedule.slots) elements += slot.elements;
  const std::int64_t serial = memory_of(lower(serial_plan(plan), 0)).total_bytes();
  const std::int64_t traced = memory_of(lower(plan, 0, {.residuals = true})).total_bytes();
  CHECK(with == std::max({without, serial, traced}) + 16 * elements);
  CHECK(needed_bytes(
            serial_plan(plan), lower(serial_plan(plan), 0), checked_every(0), DeviceKind::cpu) ==
        serial);
}

TEST_CASE("needed_bytes: states of chains count twice if evaluations or checks run in between") {
  Plan plan = residual_plan(1, 1);
  plan.multigrid[0].first_guess = FirstGuess::previous;
  const Schedule schedule = lower(plan, 0);
  // These are the blocks between coarse steps, forward and backward: (4, 3, 6, 5) in fp64.
  constexpr std::int64_t block_bytes = std::int64_t{4} * 3 * 6 * 5 * 8;
  constexpr std::int64_t states = block_bytes * 2 * (coarse_steps - 1);
  const std::int64_t alone = needed_bytes(plan, schedule, six_steps(), DeviceKind::cpu);
  CHECK(alone == memory_of(schedule).total_bytes());
  TrainingOptions evaluated = six_steps();
  evaluated.test_file = "test.h5";
  CHECK(needed_bytes(plan, schedule, evaluated, DeviceKind::cpu) == alone + states);
  const std::int64_t traced = memory_of(lower(plan, 0, {.residuals = true})).total_bytes();
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : schedule.slots) elements += slot.elements;
  CHECK(needed_bytes(plan, schedule, checked_every(0), DeviceKind::cpu) ==
        traced + states + 16 * elements);
}

}  // namespace cnnplan::test
