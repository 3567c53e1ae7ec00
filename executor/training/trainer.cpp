// The training loop.
#include "executor/training/trainer.hpp"

#include <cmath>
#include <memory>

#include <unistd.h>

#include "executor/training/evaluation.hpp"
#include "executor/training/hdf5_data.hpp"
#include "executor/training/parameter_file.hpp"
#include "executor/training/run_recorder.hpp"
#include "executor/training/synthetic_data.hpp"
#include "planner/model/checked.hpp"
#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

void check_ranks(const Plan& plan, const Communicator& world) {
  if (plan.ranks == world.size()) return;
  throw EnvironmentError("the plan is for " + std::to_string(plan.ranks) +
                         " ranks, but this program runs on " + std::to_string(world.size()) +
                         ": start it with mpirun -n " + std::to_string(plan.ranks));
}

// Before anything is allocated.
void check_memory(const Schedule& schedule) {
  const std::int64_t available = checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  const std::int64_t needed = memory_of(schedule).total_bytes();
  if (needed > available) throw InfeasibleError("bytes of memory per rank", needed, available);
}

std::unique_ptr<DataSource> open_data(const Plan& plan,
                                      const TrainingOptions& options,
                                      const Communicator& world) {
  const BatchShape shape = batch_shape(plan.network, plan.batch, plan.precision);
  if (options.data_file.empty()) return std::make_unique<SyntheticData>(shape, options.seed);
  return std::make_unique<Hdf5Data>(
      options.data_file, shape, SampleOrder{.shuffled = true, .seed = options.seed}, world);
}

double test_accuracy(const Plan& plan,
                     const TrainingOptions& options,
                     Backend& backend,
                     ParameterStore& parameters,
                     Groups& groups) {
  const BatchShape shape = batch_shape(plan.network, plan.batch, plan.precision);
  Hdf5Data data(options.test_file, shape, SampleOrder{.shuffled = false}, groups.world());
  return evaluate(plan, backend, parameters, groups, data);
}

StepState state_of(const TrainingOptions& options, std::int64_t step) {
  return {.seed = options.seed,
          .step = step,
          .learning_rate = options.learning_rate,
          .momentum = options.momentum,
          .weight_decay = options.weight_decay};
}

void set_first_weights(ParameterStore& parameters,
                       const Network& network,
                       const TrainingOptions& options) {
  if (options.weights_file.empty()) {
    initialize(parameters, network, options.seed);
  } else {
    load_parameters(options.weights_file, network, parameters);
  }
}

double finite_loss(const StepRunner& runner, std::int64_t step) {
  const double loss = runner.loss();
  if (std::isfinite(loss)) return loss;
  throw NotFiniteError("the loss of step " + std::to_string(step) + " is " + std::to_string(loss));
}

// Of the rank that needs most.
std::int64_t peak_memory(const ParameterStore& parameters,
                         const StepRunner& runner,
                         const Communicator& world) {
  const auto bytes = static_cast<double>(parameters.bytes() + runner.memory_bytes());
  return static_cast<std::int64_t>(world.maximum(bytes));
}

RunReport blank_report(const Plan& plan, const Backend& backend) {
  RunReport report{.network = plan.network.name(), .ranks = plan.ranks, .batch = plan.batch};
  const DeviceFingerprint fingerprint = backend.fingerprint();
  report.backend = fingerprint.backend;
  report.device = fingerprint.device;
  report.environment["library"] = fingerprint.library;
  report.environment["version"] = CNNPLAN_VERSION;
  return report;
}

}  // namespace

RunReport train(const Plan& plan,
                const TrainingOptions& options,
                const Communicator& world,
                const std::function<void(const Progress&)>& progress) {
  check_ranks(plan, world);
  const Schedule schedule = lower(plan, world.rank());
  check_memory(schedule);
  const std::unique_ptr<Backend> backend = make_backend(options.backend);
  backend->prepare_thread();
  const std::unique_ptr<DataSource> data = open_data(plan, options, world);
  ParameterStore parameters(schedule, plan.network, plan.precision, *backend);
  set_first_weights(parameters, plan.network, options);
  Groups groups(world);
  StepRunner runner(
      schedule,
      {.backend = backend.get(), .parameters = &parameters, .groups = &groups, .data = data.get()});
  const std::int64_t steps =
      options.epochs > 0 ? checked_multiply(options.epochs, data->step_count()) : options.steps;
  RunReport report = blank_report(plan, *backend);
  RunRecorder recorder(schedule, world);
  for (std::int64_t step = 0; step < steps; ++step) {
    world.barrier();
    runner.run(state_of(options, step));
    report.loss.push_back(finite_loss(runner, step));
    if (step >= options.warmup || steps <= options.warmup) recorder.record(runner);
    progress({.step = step + 1,
              .steps = steps,
              .loss = report.loss.back(),
              .step_s = runner.step_time_s()});
  }
  recorder.summarize_into(report);
  report.peak_memory_bytes = peak_memory(parameters, runner, world);
  average_running_values(parameters, plan.network, world);
  if (!options.dump_file.empty()) {
    dump(options.dump_file, plan, parameters, runner, schedule, world);
  }
  if (!options.test_file.empty()) {
    report.test_accuracy = test_accuracy(plan, options, *backend, parameters, groups);
  }
  return report;
}

}  // namespace cnnplan
