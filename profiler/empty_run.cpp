// Runs a step of two layers, split by samples, and reads the peak.
#include "profiler/empty_run.hpp"

#include <string>

#include "executor/data/synthetic_data.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

constexpr std::uint64_t seed = 1;

}  // namespace

Network small_network() {
  Convolution convolution{.filters = 16};
  for (std::size_t dim : {1, 2}) {
    convolution.window.dims[dim] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  return Network("empty",
                 {{"input", {}, Input{.channels = 16, .size = {1, 8, 8}}},
                  {"convolution", {"input"}, convolution},
                  {"outputs", {"convolution"}, FullyConnected{.outputs = 2}},
                  {"loss", {"outputs"}, SoftmaxCrossEntropy{}}});
}

std::int64_t empty_run_bytes(const Communicator& world, Backend& backend) {
  const int ranks = world.size();
  const Mesh mesh = ranks == 1 ? Mesh() : parse_mesh("n" + std::to_string(ranks));
  const Plan plan = uniform_plan(small_network(), ranks, mesh);
  const Schedule schedule = lower(plan, world.rank());
  ParameterStore parameters(schedule, plan.network, plan.precision, backend);
  initialize(parameters, plan.network, seed);
  Groups groups(world, false);
  SyntheticData data(batch_shape(plan.network, plan.batch, plan.precision), seed);
  StepRunner runner(
      schedule, {.backend = &backend, .parameters = &parameters, .groups = &groups, .data = &data});
  runner.run({.seed = seed}, Timing::step);
  return static_cast<std::int64_t>(
      world.maximum(static_cast<double>(backend.device().peak_bytes())));
}

}  // namespace cnnplan
