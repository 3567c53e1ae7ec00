// Trains: it opens the data, sets the first state, runs the steps and reports.
#include "executor/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "executor/agreement/replica_check.hpp"
#include "executor/checkpoint/parameter_file.hpp"
#include "executor/checkpoint/state_loader.hpp"
#include "executor/comm/node_memory.hpp"
#include "executor/comm/program.hpp"
#include "executor/data/hdf5_data.hpp"
#include "executor/data/prefetched_data.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/step/bound_cores.hpp"
#include "executor/training/resume_point.hpp"
#include "executor/training/run_setup.hpp"
#include "executor/training/training_memory.hpp"
#include "executor/training/training_steps.hpp"
#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

struct Data {
  std::unique_ptr<DataSource> training;
  std::unique_ptr<DataSource> test;      // null if nothing is evaluated
  PrefetchedData* prefetched = nullptr;  // the training data, if they are read ahead
};

Data open_data(const Plan& plan,
               const Schedule& schedule,
               const TrainingOptions& options,
               const Communicator& world,
               const Device& device) {
  const BatchShape shape = batch_shape(plan.network, plan.batch, plan.precision);
  const int threads = prefetch_threads(schedule, world, device);
  Data data;
  if (options.data_file.empty()) {
    data.training = std::make_unique<SyntheticData>(shape, options.seed);
  } else {
    const SampleOrder order{.shuffled = true, .seed = options.seed};
    auto file = std::make_unique<Hdf5Data>(
        options.data_file, shape, order, world, Labels::with, options.augmentation);
    if (threads > 0) {
      const std::int64_t end = step_count(options, file->step_count());
      auto prefetched = std::make_unique<PrefetchedData>(
          std::move(file), shape, PrefetchLimits{.end = end, .threads = threads});
      data.prefetched = prefetched.get();
      data.training = std::move(prefetched);
    } else {
      data.training = std::move(file);
    }
  }
  if (options.hooks.data) data.training = options.hooks.data(std::move(data.training));
  if (!options.test_file.empty()) {
    data.test =
        open_in_order(options.test_file, shape, world, Labels::with, options.augmentation, threads);
  }
  return data;
}

// Counts the samples that one thread reads ahead, too, or that wait on the device for the coming
// step. More threads read only small samples.
// @throws InfeasibleError if the memory of a rank is too small
void require_room(const Plan& plan,
                  const Schedule& schedule,
                  const TrainingOptions& options,
                  const Communicator& world,
                  Backend& backend) {
  const std::int64_t ahead = options.data_file.empty() ? 0 : sample_bytes(schedule);
  require_memory(needed_bytes(plan, schedule, options, kind_of(backend.device())) + ahead,
                 plan.network.name(),
                 world,
                 backend.device());
}

// Tells how long the steps waited for data, which may be read more slowly than the steps compute.
void tell_waiting(const Data& data, const std::function<void(const std::string& text)>& note) {
  constexpr double worth_telling = 0.05;
  if (!note || data.prefetched == nullptr) return;
  const double share = data.prefetched->waited_share();
  if (share < worth_telling) return;
  const int threads = data.prefetched->threads();
  note("waiting for data took " + std::to_string(std::lround(100.0 * share)) +
       " % of the steps, though " + counted(threads, "thread") + " read ahead");
}

// Counts the samples that no mini-batch of a pass has. Which samples these are changes from pass to
// pass, because data are shuffled.
void tell_left_out(const DataSource& data,
                   std::int64_t batch,
                   const std::function<void(const std::string& text)>& note) {
  const std::int64_t left_out = data.sample_count() - data.step_count() * batch;
  if (!note || left_out <= 0) return;
  note(std::to_string(left_out) + " of " + std::to_string(data.sample_count()) +
       " samples are left out of each epoch, others each time: they do not fill a mini-batch of " +
       std::to_string(batch));
}

void set_first_state(ParameterStore& parameters,
                     const Network& network,
                     const TrainingOptions& options,
                     const ResumePoint& resume,
                     const Communicator& world) {
  if (resume.checkpoint) {
    const Resumption from{.folder = options.restart_folder,
                          .checkpoint = *resume.checkpoint,
                          .same_plan = resume.same_plan,
                          .rank = world.rank()};
    on_every_rank(world, [&] { load_state(from, network, parameters); });
  } else {
    set_first_weights(parameters, network, options, world);
  }
}

// Returns the bytes of the rank that needs most. It is collective.
std::int64_t peak_memory(const ParameterStore& parameters,
                         const StepRunner* runner,
                         const Communicator& world) {
  const std::int64_t runner_bytes = runner == nullptr ? 0 : runner->memory_bytes();
  const auto bytes = static_cast<double>(parameters.bytes() + runner_bytes);
  return static_cast<std::int64_t>(world.maximum(bytes));
}

// Returns what the system says of the rank whose process has most. It is collective.
std::int64_t process_peak(const Device& device, const Communicator& world) {
  return static_cast<std::int64_t>(world.maximum(static_cast<double>(device.peak_bytes())));
}

RunReport first_report(const Plan& plan, const Backend& backend, const ResumePoint& resume) {
  RunReport report{.network = plan.network.name(), .ranks = plan.ranks, .batch = plan.batch};
  const DeviceFingerprint fingerprint = backend.fingerprint();
  report.backend = fingerprint.backend;
  report.device = fingerprint.device;
  report.environment["library"] = fingerprint.library;
  report.environment["version"] = CNNPLAN_VERSION;
  if (!resume.checkpoint) return report;
  report.loss = resume.checkpoint->loss;
  report.test_accuracy = resume.checkpoint->test_accuracy;
  report.test_loss = resume.checkpoint->test_loss;
  report.gradient_checks = resume.checkpoint->gradient_checks;
  return report;
}

void dump_last(const TrainingSteps& steps, const TrainingContext& context) {
  const double loss_scale = loss_scale_of(context.options, steps.plan().precision);
  gather_gradients(
      {.schedule = steps.schedule(), .store = context.parameters, .groups = context.groups});
  const LastStep step{.store = context.parameters,
                      .runner = steps.runner(),
                      .schedule = steps.schedule(),
                      .loss_scale = loss_scale};
  dump(context.options.dump_file, steps.plan(), step, context.world);
}

void train_and_dump(const TrainingContext& context,
                    Plan plan,
                    Schedule schedule,
                    RunReport& report) {
  TrainingSteps steps(context, std::move(plan), std::move(schedule));
  steps.run(report);
  report.peak_memory_bytes = peak_memory(context.parameters, steps.runner(), context.world);
  const std::int64_t trained = process_peak(context.backend.device(), context.world);
  steps.average_running_values();
  if (!context.options.dump_file.empty()) dump_last(steps, context);
  steps.evaluate(report);
  report.process_peak_bytes =
      std::max(trained, process_peak(context.backend.device(), context.world));
}

std::unique_ptr<Backend> trained_backend(const Plan& plan,
                                         const TrainingOptions& options,
                                         const Communicator& world) {
  std::unique_ptr<Backend> backend = backend_for(plan, options, world);
  return options.hooks.backend ? options.hooks.backend(std::move(backend)) : std::move(backend);
}

void tell_device(const Plan& plan,
                 const Schedule& schedule,
                 Backend& backend,
                 const Communicator& world,
                 const TrainingCallbacks& callbacks) {
  const auto note = world.rank() == 0 ? callbacks.note : nullptr;
  tell_places(backend.device(), world, callbacks);
  tell_apart(plan, world, note);
  tell_few_cores(schedule, backend.device(), note);
}

// Says what a training leaves out of its data, and what differs from the training that it
// continues.
void tell_data(const ResumePoint& resume,
               const Plan& plan,
               const TrainingOptions& options,
               const DataSource& data,
               const std::function<void(const std::string&)>& note) {
  if (!options.data_file.empty()) tell_left_out(data, plan.batch, note);
  tell_changes(resume, plan, options, data, note);
}

}  // namespace

RunReport train(const Plan& given,
                const TrainingOptions& wanted,
                const Communicator& world,
                const TrainingCallbacks& callbacks) {
  check_ranks(given, world);
  const StopSignals signals(wanted.checkpoint_folder.empty() ? StopSignals::Answer::tell_and_end
                                                             : StopSignals::Answer::remember);
  const ResumePoint resume = find_resume_point(given, wanted, world);
  const TrainingOptions options = options_from(resume, wanted);
  const auto note = world.rank() == 0 ? callbacks.note : nullptr;
  const std::unique_ptr<Backend> backend = trained_backend(given, options, world);
  Plan plan = plan_from(resume, without_foreign_names(given, backend->fingerprint(), note));
  Schedule schedule = lower(plan, world.rank());
  require_room(plan, schedule, options, world, *backend);
  backend->prepare_thread();
  tell_device(plan, schedule, *backend, world, callbacks);
  const Data data = open_data(plan, schedule, options, world, backend->device());
  check_resume_point(resume, options, *data.training, world);
  std::optional<CheckpointWriter> checkpoints = open_checkpoints(resume, options, world);
  tell_data(resume, plan, options, *data.training, note);
  ParameterStore parameters(schedule, plan.network, plan.precision, *backend);
  set_first_state(parameters, plan.network, options, resume, world);
  Groups groups(world, options.nccl);
  RunReport report = first_report(plan, *backend, resume);
  report.in_turns = tell_turns(backend->device(), world, callbacks);
  const TrainingContext context{
      .options = options,
      .callbacks = callbacks,
      .world = world,
      .backend = *backend,
      .parameters = parameters,
      .groups = groups,
      .data = *data.training,
      .test = data.test.get(),
      .given = given,
      .given_sha256 = resume.plan_sha256,
      .checkpoints = checkpoints ? &*checkpoints : nullptr,
      .signals = signals,
      .equal_bits = give_equal_bits(*backend, options.deterministic, world),
      .first_step = resume.step()};
  train_and_dump(context, std::move(plan), std::move(schedule), report);
  tell_waiting(data, note);
  return report;
}

}  // namespace cnnplan
