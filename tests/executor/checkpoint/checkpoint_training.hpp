// Runs trainings that are stopped and continued, and collects their results, for tests of
// checkpoints.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/checkpoint_reader.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "executor/training/trainer.hpp"
#include "planner/base/error.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"
#include "tests/executor/tested_backend.hpp"

namespace cnnplan::test {

// Makes a network with dropout, and with a batch norm over all samples, which does not depend on
// the plan.
inline Network checkpointed_network() {
  Convolution convolution{.filters = 4};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  convolution.bias = true;
  return Network("checkpointed",
                 {{"input", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                  {"conv", {"input"}, convolution},
                  {"bn", {"conv"}, BatchNorm{}},
                  {"relu", {"bn"}, Relu{}},
                  {"dropout", {"relu"}, Dropout{.rate = 0.25}},
                  {"fc", {"dropout"}, FullyConnected{.outputs = 4}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

inline constexpr std::int64_t checkpointed_batch = 4;

// Returns a plan that splits all layers along one axis. Where the axis is c, the first and the last
// layer are split along n.
inline Plan checkpointed_plan(Axis axis, int ranks) {
  Plan plan = uniform_plan(checkpointed_network(), checkpointed_batch, Mesh({{axis, ranks}}));
  if (axis != Axis::n) plan.layers.back().mesh = Mesh({{Axis::n, ranks}});
  if (axis == Axis::c) plan.layers.front().mesh = Mesh({{Axis::n, ranks}});
  if (axis == Axis::h) {
    plan.layers[plan.network.index_of("fc").value()].mesh = Mesh({{Axis::n, ranks}});
  }
  plan.layers[plan.network.index_of("bn").value()].statistics = BatchNormStatistics::global;
  return plan;
}

inline TrainingOptions checkpointed_steps(std::int64_t steps) {
  return {.backend = tested_backend("reference"),
          .deterministic = true,
          .steps = steps,
          .warmup = 0,
          .learning_rate = 0.05};
}

// Holds the results of a whole training.
struct Ending {
  RunReport report;
  std::vector<std::vector<double>> state;  // parameters and running values
};

inline std::vector<std::vector<double>> stored_state(const std::string& file) {
  const TensorFileReader reader(file);
  std::vector<std::vector<double>> state;
  const std::vector<std::pair<const char*, std::vector<std::int64_t>>> tensors{
      {"/conv/weight", {4, 2, 3, 3}},
      {"/conv/bias", {4}},
      {"/bn/scale", {4}},
      {"/bn/shift", {4}},
      {"/bn/mean", {4}},
      {"/bn/variance", {4}},
      {"/fc/weight", {4, 4, 6, 5}},
      {"/fc/bias", {4}}};
  for (const auto& [name, extents] : tensors) state.push_back(reader.read(name, extents));
  return state;
}

// Is collective.
inline Ending ending_of(const Plan& plan,
                        TrainingOptions options,
                        const SharedFolder& folder,
                        const Communicator& world) {
  options.dump_file = folder.path("end.h5");
  Ending ending{.report = train(plan, options, world, {}), .state = {}};
  world.barrier();
  ending.state = stored_state(options.dump_file);
  world.barrier();
  return ending;
}

// Raises a signal on `rank` after `done` steps. All ranks must then save their state and stop.
inline void stop_after(std::int64_t done,
                       int rank,
                       const Plan& plan,
                       const TrainingOptions& options,
                       const Communicator& world) {
  const auto raise_signal = [&](const Progress& progress) {
    if (progress.step == done && world.rank() == rank) std::raise(SIGUSR1);
  };
  CHECK_THROWS_AS(train(plan, options, world, {.placed = {}, .note = {}, .progress = raise_signal}),
                  PreemptedError);
  CHECK(read_checkpoint(options.checkpoint_folder, world).step == done);
}

}  // namespace cnnplan::test
