// Tests that all ranks stop before an update when a number of one rank is not finite.
#include "executor/agreement/finite_step.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/checkpoint_reader.hpp"
#include "planner/base/exit_code.hpp"
#include "tests/executor/agreement/altered_training.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t altered_step = 3;
constexpr std::size_t written_operand = 2;  // of a convolution without bias

struct Case {
  KernelPhase phase;
  const char* layer;
  const char* tensor;
};
constexpr std::array<Case, 3> cases{
    {{KernelPhase::forward, "conv", "conv"},
     {KernelPhase::backward_filter, "conv", "the gradient of /conv/weight"},
     {KernelPhase::backward_filter, "fc", "the gradient of /fc/weight"}}};

// Ranks look at different shares of a gradient, so that a place in each share decides.
enum class Place { first, last };

// One element of what one kernel of a rank writes becomes `value`, in one step.
Alteration spoiled(const Case& where, float value, int rank, Place place = Place::first) {
  const bool is_convolution = std::string(where.layer) == "conv";
  return {.rank = rank,
          .concerns =
              [=](const KernelSpec& spec) {
                return spec.kind == KernelKind::convolution && spec.phase == where.phase &&
                       (spec.window.dims[1].kernel == 3) == is_convolution;
              },
          .alter =
              [value, place](Operands operands, const StepState& state) {
                if (state.step != altered_step) return;
                const TensorView& written = operands[written_operand];
                const std::int64_t last = volume(written.shape()) - 1;
                written.as<float>()[place == Place::first ? 0 : last] = value;
              }};
}

void check_message(const Plan& plan,
                   const Alteration& alteration,
                   const Case& where,
                   const Communicator& world) {
  const std::string message =
      message_of(plan, altered(alteration, world), ExitCode::not_finite, world);
  CAPTURE(message);
  CHECK(message.find("step 3 is not finite: the first tensor that is not finite is " +
                     std::string(where.tensor)) == 0);
  CHECK(message.find(" of layer " + std::string(where.layer)) != std::string::npos);
  CHECK(message.find(" on rank " + std::to_string(world.size() - 1) + ";") != std::string::npos);
}

void check_messages(const Plan& plan, const Case& where, const Communicator& world) {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const Place place : {Place::first, Place::last}) {
      check_message(plan, spoiled(where, value, world.size() - 1, place), where, world);
    }
  }
}

TEST_CASE("all ranks hear of the first tensor that is not finite") {
  const Communicator world = Communicator::world();
  for (const Axis axis : {Axis::n, Axis::h, Axis::c, Axis::r}) {
    for (const Case& where : cases) check_messages(plan_on(axis, world), where, world);
  }
}

TEST_CASE("ranks with shards of the gradients agree, too") {
  const Communicator world = Communicator::world();
  Plan plan = plan_on(Axis::n, world);
  plan.sharded_update = true;
  for (const Case& where : cases) check_messages(plan, where, world);
}

TEST_CASE("no rank updates in a step that is not finite, and the last checkpoint stays") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  std::int64_t updates = 0;
  TrainingOptions options =
      altered(spoiled(cases[1], std::numeric_limits<float>::infinity(), world.size() - 1), world);
  options.checkpoint_folder = folder.path("state");
  options.checkpoint_period = 1;
  const auto inner = options.hooks.backend;
  const Alteration count{
      .rank = world.rank(),
      .concerns = [](const KernelSpec& spec) { return spec.kind == KernelKind::sgd; },
      .alter = [&](Operands, const StepState& state) { updates += state.step == altered_step; }};
  const auto counted = altered(count, world).hooks.backend;
  options.hooks.backend = [&](std::unique_ptr<Backend> made) {
    return counted(inner ? inner(std::move(made)) : std::move(made));
  };
  CHECK(!message_of(plan_on(Axis::n, world), options, ExitCode::not_finite, world).empty());
  CHECK(updates == 0);
  const auto kept = find_checkpoint(options.checkpoint_folder, world);
  REQUIRE(kept);
  CHECK(kept->step == altered_step);
}

TEST_CASE("a training whose numbers are finite goes on") {
  const Communicator world = Communicator::world();
  CHECK(message_of(plan_on(Axis::n, world), altered({}, world), ExitCode::ok, world).empty());
}

}  // namespace
}  // namespace cnnplan::test
