// Subtracts the times of the operations from the time of each step.
#include "profiler/step_overhead.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "executor/data/synthetic_data.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/statistics.hpp"
#include "planner/schedule/schedule.hpp"
#include "profiler/empty_run.hpp"

namespace cnnplan {
namespace {

constexpr std::uint64_t seed = 1;
constexpr int untimed_steps = 5;  // the second one captures graphs
constexpr int timed_steps = 40;

}  // namespace

double step_overhead_s(Backend& backend, const Communicator& world) {
  if (backend.device().is_host()) return 0.0;
  const Plan plan = uniform_plan(small_network(), 1, Mesh());
  const Schedule schedule = lower(plan, 0);
  ParameterStore parameters(schedule, plan.network, plan.precision, backend);
  initialize(parameters, plan.network, seed);
  SyntheticData data(batch_shape(plan.network, plan.batch, plan.precision), seed);
  StepRunner runner(schedule,
                    {.backend = &backend,
                     .parameters = &parameters,
                     .data = &data,
                     .in_place_of_communication = {},
                     .replicas_agree = false,
                     .graphs = Graphs::preferred,
                     .left_out = [](const KernelSpec&, const std::string&) {}});
  std::vector<double> beyond_s;
  for (int step = 0; step < untimed_steps + timed_steps; ++step) {
    world.barrier();
    runner.run({.seed = seed});
    const auto times_s = runner.operation_times_s();
    const double operations_s = std::accumulate(times_s.begin(), times_s.end(), 0.0);
    if (step >= untimed_steps) beyond_s.push_back(runner.step_time_s() - operations_s);
  }
  return std::max(0.0, median(world.all_gather(beyond_s)));
}

}  // namespace cnnplan
