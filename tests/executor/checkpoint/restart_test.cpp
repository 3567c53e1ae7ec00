// Tests trainings that go on under other plans and on other numbers of ranks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "tests/executor/checkpoint/checkpoint_training.hpp"

namespace cnnplan::test {
namespace {

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    if (!std::isfinite(a[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / std::max(largest, 1e-3);
}

double relative_difference(const Ending& a, const Ending& b) {
  double difference = relative_difference(a.report.loss, b.report.loss);
  for (std::size_t i = 0; i < a.state.size(); ++i) {
    difference = std::max(difference, relative_difference(a.state[i], b.state[i]));
  }
  return difference;
}

struct Stage {
  Axis axis;
  int ranks;
  std::int64_t steps;  // done by then
  ChannelAlgorithm algorithm = ChannelAlgorithm::stationary_y;
  int sample_blocks = 1;
};

Plan plan_of(const Stage& stage, Precision precision) {
  Plan plan = checkpointed_plan(stage.axis, stage.ranks);
  plan.precision = precision;
  for (const char* name : {"conv", "fc"}) {
    plan.layers[plan.network.index_of(name).value()].channel_algorithm = stage.algorithm;
  }
  plan.sample_blocks = stage.sample_blocks;
  if (stage.sample_blocks > 1) {
    plan.gradient_allreduce = AllreduceAlgorithm::rabenseifner;
    plan.statistics_allreduce = AllreduceAlgorithm::recursive_doubling;
  }
  return plan;
}

// Runs the stages one after the other, on the first ranks of the world. Each stage starts from the
// checkpoint of the stage before.
Ending ending_of_stages(const std::vector<Stage>& stages,
                        Precision precision,
                        const Communicator& world) {
  const SharedFolder folder(world);
  Ending ending;
  for (const Stage& stage : stages) {
    if (world.rank() < stage.ranks) {
      std::vector<int> ranks(static_cast<std::size_t>(stage.ranks));
      std::iota(ranks.begin(), ranks.end(), 0);
      const Communicator some = Communicator::group(world, ranks);
      TrainingOptions options = checkpointed_steps(stage.steps);
      options.checkpoint_folder = options.restart_folder = folder.path("state");
      ending = ending_of(plan_of(stage, precision), options, folder, some);
    }
    world.barrier();
  }
  return ending;
}

void check_like_never_stopped(const std::vector<Stage>& stages,
                              Precision precision,
                              double tolerance,
                              const Communicator& world) {
  const Stage& last = stages.back();
  const Stage alone{
      .axis = Axis::n, .ranks = 1, .steps = last.steps, .sample_blocks = last.sample_blocks};
  const Ending never = ending_of_stages({alone}, precision, world);
  const Ending ending = ending_of_stages(stages, precision, world);
  if (world.rank() != 0) return;
  CHECK(ending.report.loss.size() == static_cast<std::size_t>(last.steps));
  CHECK(relative_difference(ending, never) <= tolerance);
}

}  // namespace

TEST_CASE("restart: on more and fewer ranks, split along other axes") {
  const Communicator world = Communicator::world();
  const int all = world.size();
  const std::vector<Axis> axes{Axis::n, Axis::h, Axis::c};
  for (const Axis from : axes) {
    for (const Axis to : axes) {
      for (const int ranks : {1, all}) {
        CAPTURE(to_text(Mesh({{from, all}})));
        CAPTURE(to_text(Mesh({{to, ranks}})));
        CAPTURE(ranks);
        const std::vector<Stage> stages{{from, all, 3}, {to, ranks, 5}};
        check_like_never_stopped(stages, Precision::fp64, 1e-12, world);
      }
    }
  }
}

TEST_CASE("restart: in fp32, across three numbers of ranks, with sums over channels") {
  const Communicator world = Communicator::world();
  std::vector<Stage> stages{{Axis::n, 1, 1}};
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    stages.push_back({Axis::c, ranks, stages.back().steps + 1, ChannelAlgorithm::stationary_x});
    stages.push_back({Axis::h, world.size() + 1 - ranks, stages.back().steps + 1});
  }
  check_like_never_stopped(stages, Precision::fp32, 1e-5, world);
  check_like_never_stopped(stages, Precision::fp64, 1e-12, world);
}

// On a GPU, the plans for all numbers of ranks would have to name the same engines.
TEST_CASE("restart: with sums by blocks of samples, the bits do not depend on the ranks") {
  const Communicator world = Communicator::world();
  if (tested_backend("reference") != "reference") return;
  std::vector<Stage> stages;
  for (const int ranks : {4, 1, 2, 4, 2}) {
    if (ranks > world.size()) continue;
    stages.push_back({.axis = Axis::n,
                      .ranks = ranks,
                      .steps = static_cast<std::int64_t>(stages.size()) + 2,
                      .sample_blocks = 4});
  }
  check_like_never_stopped(stages, Precision::fp32, 0.0, world);
}

TEST_CASE("restart: only a changed number of sample blocks is reported") {
  const Communicator world = Communicator::world();
  if (tested_backend("reference") != "reference" || world.size() > 4 || world.size() == 3) return;
  const SharedFolder folder(world);
  std::vector<std::string> notes;
  const auto run_with = [&](int blocks, std::int64_t steps) {
    notes.clear();
    const Stage stage{
        .axis = Axis::n, .ranks = world.size(), .steps = steps, .sample_blocks = blocks};
    TrainingOptions options = checkpointed_steps(steps);
    options.checkpoint_folder = options.restart_folder = folder.path("state");
    train(plan_of(stage, Precision::fp32), options, world, {.note = [&](const std::string& note) {
            if (note.find("sums over samples") != std::string::npos) notes.push_back(note);
          }});
    world.barrier();
  };
  run_with(4, 2);
  run_with(4, 3);
  CHECK(notes.empty());
  run_with(1, 4);
  if (world.rank() > 0) return;
  REQUIRE(notes.size() == 1);
  CHECK(notes.front() ==
        "from step 3 on, sums over samples are as the kernels add, before of 4 blocks: from there "
        "on, bits are others");
}

TEST_CASE("restart: running values that differ by rank become their mean") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  Plan plan = checkpointed_plan(Axis::n, world.size());
  plan.precision = Precision::fp64;
  plan.layers[plan.network.index_of("bn").value()].statistics = BatchNormStatistics::local;
  TrainingOptions options = checkpointed_steps(3);
  options.checkpoint_folder = folder.path("state");
  const Ending saved = ending_of(plan, options, folder, world);
  // One rank continues the training, and has no steps left to do.
  const Communicator self = Communicator::group(world, {world.rank()});
  options.restart_folder = std::exchange(options.checkpoint_folder, "");
  options.dump_file = folder.path("alone" + std::to_string(world.rank()) + ".h5");
  Plan alone = checkpointed_plan(Axis::n, 1);
  alone.precision = Precision::fp64;
  train(alone, options, self, {});
  const auto state = stored_state(options.dump_file);
  for (std::size_t i = 0; i < state.size(); ++i) {
    CHECK(relative_difference(state[i], saved.state[i]) <= 1e-14);
  }
}

TEST_CASE("require_same_training: the first layer that differs is named") {
  const Checkpoint checkpoint{.network = checkpointed_network(), .batch = 4, .seed = 1};
  const auto problem_with = [&](const Network& network, std::int64_t batch, std::uint64_t seed) {
    try {
      require_same_training(checkpoint, "c.json", {network, batch, seed});
    } catch (const InputError& error) {
      return error.problem();
    }
    return InputProblem{};
  };
  std::vector<Layer> layers = checkpointed_network().layers().elements();
  CHECK(problem_with(checkpointed_network(), 4, 1).pointer.empty());
  CHECK(problem_with(checkpointed_network(), 8, 1).pointer == "/batch");
  CHECK(problem_with(checkpointed_network(), 4, 2).pointer == "/seed");
  layers[4].parameters = Dropout{.rate = 0.5};
  const InputProblem rate = problem_with(Network("other", layers), 4, 1);
  CHECK(rate.pointer == "/network/layers/4");
  CHECK(rate.value.find("\"dropout\"") != std::string::npos);
  CHECK(rate.allowed.find("other parameters") != std::string::npos);
  layers[3] = {"tanh", {"bn"}, Relu{}};
  layers[4].inputs = {"tanh"};
  const InputProblem name = problem_with(Network("other", layers), 4, 1);
  CHECK(name.pointer == "/network/layers/3");
  CHECK(name.allowed.find("\"tanh\"") != std::string::npos);
  CHECK(problem_with(with_input_size(checkpointed_network(), {1, 7, 5}), 4, 1).pointer ==
        "/network/layers/0");
}

}  // namespace cnnplan::test
