// The training loop.
#include "executor/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "executor/comm/node_memory.hpp"
#include "executor/comm/nodes.hpp"
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

// Training and evaluation follow each other.
std::int64_t needed_bytes(const Plan& plan, const Schedule& schedule) {
  const Schedule inference = lower_inference(plan, schedule.rank);
  return std::max(memory_of(schedule).total_bytes(), memory_of(inference).total_bytes());
}

struct Data {
  std::unique_ptr<DataSource> training;
  std::unique_ptr<DataSource> test;  // null: no evaluation
};

Data open_data(const Plan& plan, const TrainingOptions& options, const Communicator& world) {
  const BatchShape shape = batch_shape(plan.network, plan.batch, plan.precision);
  Data data;
  if (options.data_file.empty()) {
    data.training = std::make_unique<SyntheticData>(shape, options.seed);
  } else {
    const SampleOrder order{.shuffled = true, .seed = options.seed};
    data.training = std::make_unique<Hdf5Data>(options.data_file, shape, order, world);
  }
  if (!options.test_file.empty()) {
    const SampleOrder order{.shuffled = false};
    data.test = std::make_unique<Hdf5Data>(options.test_file, shape, order, world);
  }
  return data;
}

double loss_scale_of(const TrainingOptions& options, Precision precision) {
  constexpr double automatic = 1024.0;
  if (options.loss_scale > 0.0) return options.loss_scale;
  return precision == Precision::fp16 ? automatic : 1.0;
}

StepState state_of(const TrainingOptions& options, Precision precision, std::int64_t step) {
  return {.seed = options.seed,
          .step = step,
          .learning_rate = options.learning_rate,
          .momentum = options.momentum,
          .weight_decay = options.weight_decay,
          .loss_scale = loss_scale_of(options, precision)};
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

// A processor does one thing after the other.
void require_overlap(const Plan& plan, Backend& backend) {
  if (!plan.overlap || !backend.device().is_host()) return;
  throw EnvironmentError(
      "the plan overlaps communication with kernels (\"overlap\"), which backend \"" +
      backend.fingerprint().backend + "\" does not");
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

// What the steps work on. All are borrowed.
struct Workplace {
  const Plan& plan;
  const TrainingOptions& options;
  const Schedule& schedule;
  const Communicator& world;
  Backend& backend;
  ParameterStore& parameters;
  Groups& groups;
  DataSource& data;
};

bool uses_graphs(const Workplace& work) {
  return work.options.graphs != Graphs::off && !work.backend.device().is_host();
}

// The steps before it do not count: --warmup, and those in which --graphs auto tries both ways.
// Where there would be few others, fewer are left out.
std::int64_t first_recorded(const Workplace& work, std::int64_t steps) {
  const std::int64_t warmup = work.options.warmup;
  const bool settles = uses_graphs(work) && work.options.graphs == Graphs::automatic;
  const std::int64_t settled = warmup + (settles ? GraphChoice::settling_steps : 0);
  constexpr std::int64_t least_recorded = 2;
  if (steps >= settled + least_recorded) return settled;
  return steps > warmup ? warmup : 0;
}

// A step among those that count.
struct CountedStep {
  std::int64_t index = 0;  // negative: it does not count
  std::int64_t count = 1;  // of those that do
};

// Events between the kernels of a graph cost time: a step measures either itself or its operations,
// and those of every fourth step are enough for a median; of fewer, those of the last.
constexpr std::int64_t steps_per_timed_operations = 4;

Timing timing_of(const Workplace& work, const CountedStep& step) {
  if (!uses_graphs(work)) return Timing::operations;
  const std::int64_t period = std::min(steps_per_timed_operations, step.count);
  const bool times_operations = step.index >= 0 && step.index % period == period - 1;
  return times_operations ? Timing::operations : Timing::step;
}

// The only one that counts is both.
void record(const Workplace& work,
            const StepRunner& runner,
            const CountedStep& step,
            RunRecorder& recorder) {
  if (step.index < 0) return;
  const bool times_operations = timing_of(work, step) == Timing::operations;
  if (times_operations) recorder.record_operations(runner);
  const bool times_step = !times_operations || !uses_graphs(work) || step.count == 1;
  if (times_step) recorder.record_step(runner);
}

void run_steps(const Workplace& work,
               StepRunner& runner,
               const TrainingCallbacks& callbacks,
               RunReport& report) {
  const TrainingOptions& options = work.options;
  const std::int64_t steps =
      options.epochs > 0 ? checked_multiply(options.epochs, work.data.step_count()) : options.steps;
  const std::int64_t first = first_recorded(work, steps);
  RunRecorder recorder(work.schedule, work.world);
  for (std::int64_t step = 0; step < steps; ++step) {
    work.world.barrier();
    const CountedStep counted{.index = step - first, .count = steps - first};
    runner.run(state_of(options, work.plan.precision, step), timing_of(work, counted));
    report.loss.push_back(finite_loss(runner, step));
    record(work, runner, counted, recorder);
    if (!callbacks.progress) continue;
    callbacks.progress({.step = step + 1,
                        .steps = steps,
                        .loss = report.loss.back(),
                        .step_s = runner.step_time_s()});
  }
  recorder.summarize_into(report);
}

void train_and_dump(const Workplace& work, const TrainingCallbacks& callbacks, RunReport& report) {
  StepRunner runner(work.schedule,
                    {.backend = &work.backend,
                     .parameters = &work.parameters,
                     .groups = &work.groups,
                     .data = &work.data,
                     .overlap = work.plan.overlap,
                     .graphs = work.options.graphs});
  run_steps(work, runner, callbacks, report);
  report.peak_memory_bytes = peak_memory(work.parameters, runner, work.world);
  average_running_values(work.parameters, work.plan, work.world);
  if (work.options.dump_file.empty()) return;
  const LastStep step{
      work.parameters, runner, work.schedule, loss_scale_of(work.options, work.plan.precision)};
  dump(work.options.dump_file, work.plan, step, work.world);
}

// Names of implementations hold for the library that was profiled.
Plan without_foreign_names(const Plan& plan,
                           const DeviceFingerprint& fingerprint,
                           const std::function<void(const std::string&)>& note) {
  const std::string library = "; " + fingerprint.backend + " (" + fingerprint.library + ")";
  const bool is_own = plan.device.find(library) != std::string::npos;
  Plan runnable = plan;
  if (is_own || plan.implementations.empty()) return runnable;
  runnable.implementations.clear();
  if (note) {
    note("the plan names implementations of another library (\"" + plan.device +
         "\"); this one chooses its own, and the prediction does not hold for them");
  }
  return runnable;
}

// On rank 0; empty elsewhere.
std::vector<RankPlace> places_of(const Device& device, const Communicator& world) {
  const auto hosts = world.gather(host_name(), 0);
  const auto places = world.gather(device.place(), 0);
  const auto names = world.gather(device.name(), 0);
  std::vector<RankPlace> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    ranks.push_back({hosts[rank], places[rank], names[rank]});
  }
  return ranks;
}

}  // namespace

RunReport train(const Plan& given,
                const TrainingOptions& options,
                const Communicator& world,
                const TrainingCallbacks& callbacks) {
  check_ranks(given, world);
  const std::unique_ptr<Backend> backend =
      make_backend(options.backend,
                   {.local_rank = find_nodes(world).rank_here,
                    .deterministic = options.deterministic,
                    .most_workspace_bytes = options.most_workspace_bytes});
  require_precision(*backend, given.precision);
  require_overlap(given, *backend);
  const Plan plan = without_foreign_names(
      given, backend->fingerprint(), world.rank() == 0 ? callbacks.note : nullptr);
  const Schedule schedule = lower(plan, world.rank());
  require_memory(needed_bytes(plan, schedule), plan.network.name(), world, backend->device());
  backend->prepare_thread();
  const std::vector<RankPlace> places = places_of(backend->device(), world);
  if (callbacks.placed && world.rank() == 0) callbacks.placed(places);
  const Data data = open_data(plan, options, world);
  ParameterStore parameters(schedule, plan.network, plan.precision, *backend);
  set_first_weights(parameters, plan.network, options);
  Groups groups(world, options.nccl);
  RunReport report = blank_report(plan, *backend);
  train_and_dump({plan, options, schedule, world, *backend, parameters, groups, *data.training},
                 callbacks,
                 report);
  if (data.test) report.test_accuracy = evaluate(plan, *backend, parameters, groups, *data.test);
  return report;
}

}  // namespace cnnplan
