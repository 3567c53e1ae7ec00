// Runs the steps of a training, decides what is timed, and acts on gradient checks.
#include "executor/training/training_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/comm/node_memory.hpp"
#include "executor/training/evaluation.hpp"
#include "executor/training/finite_check.hpp"
#include "executor/training/more_cycles.hpp"
#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

std::int64_t total_bytes(const Schedule& schedule) {
  return memory_of(schedule).total_bytes();
}

// Returns the memory of the two gradients that a check compares.
std::int64_t gradient_bytes(const Schedule& schedule) {
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : schedule.slots) elements += slot.elements;
  return 2 * elements * static_cast<std::int64_t>(sizeof(double));
}

// Returns the memory of chain states, which are kept while there is no runner.
std::int64_t state_bytes(const Schedule& schedule, const TrainingOptions& options) {
  std::int64_t bytes = 0;
  if (!options.gradient_check_period && options.test_file.empty()) return bytes;
  for (const Buffer& buffer : schedule.buffers) {
    if (buffer.role == BufferRole::state) bytes = checked_add(bytes, buffer.bytes);
  }
  return bytes;
}

double finite_loss(const StepRunner& runner, std::int64_t step) {
  const double loss = runner.loss();
  if (std::isfinite(loss)) return loss;
  throw NotFiniteError("the loss of step " + std::to_string(step) + " is " + std::to_string(loss));
}

bool uses_graphs(const Workplace& work) {
  return work.options.graphs != Graphs::off && !work.backend.device().is_host();
}

// Returns the first step that counts. Earlier ones are warm-up, or --graphs auto tries both ways in
// them. Fewer are left out where few steps would remain.
std::int64_t first_counted(const Workplace& work, std::int64_t steps) {
  const std::int64_t warmup = work.options.warmup;
  const bool settles = uses_graphs(work) && work.options.graphs == Graphs::automatic;
  const std::int64_t settled = warmup + (settles ? GraphChoice::settling_steps : 0);
  constexpr std::int64_t least_counted = 2;
  if (steps >= settled + least_counted) return settled;
  return steps > warmup ? warmup : 0;
}

// Events between the kernels of a graph cost time, so that a step measures either itself or its
// operations. Every fourth step measures operations, which suffices for a median; where there are
// fewer steps, the last one does.
constexpr std::int64_t steps_per_timed_operations = 4;

bool is_finite(const GradientCheck& check) {
  return std::isfinite(check.cosine) && std::isfinite(check.relative_error);
}

// False where a residual is not finite.
bool is_reduced(const std::vector<double>& residuals, double first, double limit) {
  return std::isfinite(first) && residuals.back() <= limit * first;
}

}  // namespace

double loss_scale_of(const TrainingOptions& options, Precision precision) {
  constexpr double automatic = 1024.0;
  if (options.loss_scale > 0.0) return options.loss_scale;
  return precision == Precision::fp16 ? automatic : 1.0;
}

std::int64_t step_count(const TrainingOptions& options, std::int64_t steps_per_pass) {
  return options.epochs > 0 ? checked_multiply(options.epochs, steps_per_pass) : options.steps;
}

std::int64_t needed_bytes(const Plan& plan,
                          const Schedule& schedule,
                          const TrainingOptions& options) {
  const std::int64_t states = state_bytes(schedule, options);
  const std::int64_t bytes =
      std::max(total_bytes(schedule), total_bytes(lower_inference(plan, schedule.rank)));
  if (!options.gradient_check_period || plan.multigrid.empty()) return checked_add(bytes, states);
  const std::int64_t serial = total_bytes(lower(serial_plan(plan), schedule.rank));
  const std::int64_t traced = total_bytes(lower_with_residuals(plan, schedule.rank));
  return checked_add(std::max({bytes, serial, traced}),
                     checked_add(states, gradient_bytes(schedule)));
}

TrainingSteps::TrainingSteps(const Workplace& work, Plan plan, Schedule schedule)
    : work_(work),
      plan_(std::move(plan)),
      schedule_(std::move(schedule)),
      steps_(step_count(work.options, work.data.step_count())) {}

void TrainingSteps::run(RunReport& report) {
  recorder_.emplace(schedule_, plan_.network, work_.world);
  first_counted_ = work_.first_step + first_counted(work_, steps_ - work_.first_step);
  for (std::int64_t step = work_.first_step; step < steps_; ++step) {
    if (work_.test != nullptr && begins_epoch(step)) {
      average_running_values();
      gather_weights(sharded());
      require_finite(step);
      evaluate(report);
    }
    if (is_checked(step)) check_gradient(step, report);
    if (!runner_) {
      runner_.emplace(schedule_, context());
      states_.clear();
    }
    run_step(step, report);
    if (work_.checkpoints != nullptr) save_or_stop(step + 1, report);
  }
  gather_weights(sharded());
  require_finite(steps_);
  recorder_->summarize_into(report);
}

void TrainingSteps::require_finite(std::int64_t done) const {
  cnnplan::require_finite(work_.parameters, plan_.network, work_.world, done);
}

StepContext TrainingSteps::context() const {
  return {.backend = &work_.backend,
          .parameters = &work_.parameters,
          .groups = &work_.groups,
          .data = &work_.data,
          .states = &states_,
          .in_place_of_communication = {},
          .overlap = plan_.overlap,
          .graphs = work_.options.graphs};
}

void TrainingSteps::drop_runner() {
  if (!runner_) return;
  states_ = runner_->memory().chain_states();
  runner_.reset();
}

Sharded TrainingSteps::sharded() const {
  return {.schedule = schedule_, .store = work_.parameters, .groups = work_.groups};
}

StepState TrainingSteps::state_of(std::int64_t step) const {
  const TrainingOptions& options = work_.options;
  return {.seed = options.seed,
          .step = step,
          .learning_rate = options.learning_rate,
          .momentum = options.momentum,
          .weight_decay = options.weight_decay,
          .loss_scale = loss_scale_of(options, plan_.precision)};
}

void TrainingSteps::run_step(std::int64_t step, RunReport& report) {
  work_.world.barrier();
  runner_->run(state_of(step), timing_of(step));
  report.loss.push_back(finite_loss(*runner_, step));
  record(step);
  if (!work_.callbacks.progress) return;
  work_.callbacks.progress({.step = step + 1,
                            .steps = steps_,
                            .loss = report.loss.back(),
                            .step_s = runner_->step_time_s()});
}

Timing TrainingSteps::timing_of(std::int64_t step) const {
  if (!uses_graphs(work_)) return Timing::operations;
  const std::int64_t index = step - first_counted_;
  const std::int64_t period = std::min(steps_per_timed_operations, steps_ - first_counted_);
  const bool times_operations = index >= 0 && index % period == period - 1;
  return times_operations ? Timing::operations : Timing::step;
}

// A single counted step measures itself and its operations.
void TrainingSteps::record(std::int64_t step) {
  if (step < first_counted_) return;
  const bool times_operations = timing_of(step) == Timing::operations;
  if (times_operations) recorder_->record_operations(*runner_);
  const bool is_only = steps_ - first_counted_ == 1;
  if (!times_operations || !uses_graphs(work_) || is_only) recorder_->record_step(*runner_);
}

bool TrainingSteps::begins_epoch(std::int64_t step) const {
  return work_.options.epochs > 0 && step > 0 && step % work_.data.step_count() == 0;
}

// All ranks stop after one step, whichever rank was asked to stop.
void TrainingSteps::save_or_stop(std::int64_t done, const RunReport& report) {
  const auto signal = static_cast<int>(work_.world.maximum(work_.signals.last()));
  const bool stops = signal != 0 && done < steps_;
  if (!stops && !is_checkpoint_due(done)) return;
  gather_weights(sharded());
  require_finite(done);
  const WholeMomentum momentum(sharded());
  work_.checkpoints->write(progress(done, report), plan_, work_.parameters);
  if (work_.callbacks.saved && work_.world.rank() == 0) work_.callbacks.saved(done);
  if (!stops) return;
  throw PreemptedError(signal_name(signal) + ": stopped after step " + std::to_string(done) +
                       " of " + std::to_string(steps_) + "; --restart " +
                       work_.checkpoints->folder() + " goes on");
}

bool TrainingSteps::is_checkpoint_due(std::int64_t done) const {
  const std::int64_t period = work_.options.checkpoint_period;
  if (done == steps_) return true;
  return period > 0 ? done % period == 0 : begins_epoch(done);
}

Checkpoint TrainingSteps::progress(std::int64_t done, const RunReport& report) const {
  const StepState state = state_of(done);
  return {.plan_sha256 = work_.given_sha256,
          .network = plan_.network,
          .batch = plan_.batch,
          .seed = state.seed,
          .samples = work_.data.sample_count(),
          .step = done,
          .learning_rate = state.learning_rate,
          .momentum = state.momentum,
          .weight_decay = state.weight_decay,
          .loss_scale = state.loss_scale,
          .crop = crop_of(work_.options.augmentation),
          .mirror = work_.options.augmentation.mirrors,
          .sample_blocks = plan_.sample_blocks,
          .loss = report.loss,
          .test_accuracy = report.test_accuracy,
          .test_loss = report.test_loss,
          .gradient_checks = report.gradient_checks,
          .raised_cycles = raised_cycles(work_.given, plan_)};
}

void TrainingSteps::average_running_values() {
  cnnplan::average_running_values(work_.parameters, plan_, work_.world);
}

void TrainingSteps::evaluate(RunReport& report) {
  if (work_.test == nullptr) return;
  drop_runner();
  const double result =
      cnnplan::evaluate(plan_, work_.backend, work_.parameters, work_.groups, *work_.test);
  const bool is_loss = has_targets(plan_.network);
  if (is_loss && !std::isfinite(result)) {
    throw NotFiniteError("the loss of the test data is " + std::to_string(result));
  }
  (is_loss ? report.test_loss : report.test_accuracy).push_back(result);
  if (!work_.callbacks.evaluated || work_.world.rank() != 0) return;
  const std::int64_t epochs = work_.options.epochs;
  const auto done = static_cast<std::int64_t>(report.loss.size()) / work_.data.step_count();
  work_.callbacks.evaluated(
      {.epoch = epochs > 0 ? done : 0, .epochs = epochs, .result = result, .is_loss = is_loss});
}

bool TrainingSteps::is_checked(std::int64_t step) const {
  const std::optional<std::int64_t>& period = work_.options.gradient_check_period;
  if (!period || plan_.multigrid.empty()) return false;
  return step == 0 || (*period > 0 && step % *period == 0);
}

// Only one schedule at a time is in memory.
void TrainingSteps::check_gradient(std::int64_t step, RunReport& report) {
  drop_runner();
  const Gradient serial = gradient_under(serial_plan(plan_), context(), state_of(step));
  Plan plan = plan_;
  for (bool holds = false; !holds && !plan.multigrid.empty();) {
    const Gradient gradient = gradient_under(plan, context(), state_of(step));
    const GradientDifference found = difference(gradient, serial, work_.world);
    const GradientCheck check{
        .step = step,
        .cycles = most_cycles(plan),
        .cosine = found.cosine,
        .relative_error = found.relative_error,
        .forward_residuals = norms(gradient.residual_squares[0], work_.world),
        .backward_residuals = norms(gradient.residual_squares[1], work_.world)};
    tell(check, report);
    holds = this->holds(check);
    if (!first_check_) first_check_ = check;
    if (!holds) plan = raised(plan);
  }
  if (plan.multigrid != plan_.multigrid) change_to(plan, step);
}

bool TrainingSteps::holds(const GradientCheck& check) const {
  const std::optional<double>& gradient_limit = work_.options.gradient_limit;
  const std::optional<double>& residual_limit = work_.options.residual_limit;
  if (!is_finite(check)) {
    if (gradient_limit || residual_limit) return false;
    throw NotFiniteError("the gradient of step " + std::to_string(check.step) + " is not finite");
  }
  if (gradient_limit && check.relative_error > *gradient_limit) return false;
  // The better the states of the previous step are, the less is left to reduce.
  const GradientCheck& first = has_warm_start(plan_) && first_check_ ? *first_check_ : check;
  return !residual_limit ||
         (is_reduced(check.forward_residuals, first.forward_residuals.front(), *residual_limit) &&
          is_reduced(check.backward_residuals, first.backward_residuals.front(), *residual_limit));
}

Plan TrainingSteps::raised(const Plan& plan) const {
  Plan raised = with_one_more_cycle(plan);
  const Schedule schedule = lower(raised, work_.world.rank());
  require_memory(needed_bytes(raised, schedule, work_.options),
                 plan.network.name() + " with more cycles",
                 work_.world,
                 work_.backend.device());
  return raised;
}

void TrainingSteps::tell(const GradientCheck& check, RunReport& report) const {
  if (is_finite(check)) report.gradient_checks.push_back(check);
  if (work_.callbacks.checked && work_.world.rank() == 0) work_.callbacks.checked(check);
}

void TrainingSteps::change_to(const Plan& plan, std::int64_t step) {
  plan_ = plan;
  schedule_ = lower(plan_, work_.world.rank());
  recorder_.emplace(schedule_, plan_.network, work_.world);
  first_counted_ = step + first_counted(work_, steps_ - step);
  if (!work_.callbacks.note || work_.world.rank() != 0) return;
  const int cycles = most_cycles(plan_);
  work_.callbacks.note("from step " + std::to_string(step) + " on, " +
                       (cycles > 0 ? "multigrid has " + std::to_string(cycles) + " cycles"
                                   : std::string("the layers of chains are run in order")) +
                       ": times are of these steps, and the prediction does not hold for them");
}

}  // namespace cnnplan
