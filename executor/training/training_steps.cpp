// Runs the steps in order, with checks, evaluations and checkpoints between them.
#include "executor/training/training_steps.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "executor/agreement/finite_step.hpp"
#include "executor/agreement/replica_check.hpp"
#include "executor/checkpoint/parameter_file.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/training/evaluation.hpp"
#include "executor/training/finite_check.hpp"
#include "executor/training/raise_cycles.hpp"
#include "planner/base/error.hpp"
#include "planner/plan/normalised_values.hpp"

namespace cnnplan {
namespace {

double finite_loss(const StepRunner& runner, std::int64_t step) {
  const double loss = runner.loss();
  if (std::isfinite(loss)) return loss;
  throw NotFiniteError("the loss of step " + std::to_string(step) + " is " + std::to_string(loss));
}

}  // namespace

TrainingSteps::TrainingSteps(const TrainingContext& context, Plan plan, Schedule schedule)
    : context_(context),
      plan_(std::move(plan)),
      schedule_(std::move(schedule)),
      steps_(step_count(context.options, context.data.step_count())),
      cycles_(context_) {}

void TrainingSteps::run(RunReport& report) {
  start_tracing();
  times_.emplace(context_, schedule_, plan_.network, Range{context_.first_step, steps_});
  for (std::int64_t step = context_.first_step; step < steps_; ++step) {
    if (context_.test != nullptr && begins_epoch(step)) {
      average_running_values();
      gather_weights(sharded());
      require_finite(step);
      evaluate(report);
    }
    if (cycles_.is_due(step, plan_)) check_gradient(step, report);
    if (!runner_) {
      runner_.emplace(schedule_, step_context());
      states_.clear();
    }
    run_step(step, report);
    compare_replicas(step + 1);
    if (context_.checkpoints != nullptr) save_or_stop(step + 1, report);
  }
  gather_weights(sharded());
  require_finite(steps_);
  times_->summarize_into(report);
  if (tracer_) tracer_->summarize_into(report);
}

// The trace is read with the plan that was given, so it has the operations of that plan.
void TrainingSteps::start_tracing() {
  if (!context_.options.traced_steps) return;
  const Range& steps = *context_.options.traced_steps;
  require_traced_steps(steps, {context_.first_step, steps_});
  if (plan_.multigrid != context_.given.multigrid) return stop_tracing();
  tracer_.emplace(steps,
                  TraceClock(context_.options.hooks.clock),
                  schedule_,
                  context_.backend.device(),
                  context_.world);
}

void TrainingSteps::stop_tracing() {
  tracer_.reset();
  if (!context_.callbacks.note || context_.world.rank() != 0) return;
  context_.callbacks.note(
      "no steps are traced, because multigrid has other cycles than in the plan");
}

void TrainingSteps::require_finite(std::int64_t done) const {
  cnnplan::require_finite(context_.parameters, plan_.network, context_.world, done);
}

void TrainingSteps::compare_replicas(std::int64_t done) const {
  const std::int64_t period = context_.options.compare_period;
  if (period == 0 || done % period != 0) return;
  require_equal_replicas({.plan = plan_,
                          .schedule = schedule_,
                          .store = context_.parameters,
                          .groups = context_.groups,
                          .with_repeated_work = context_.equal_bits},
                         done);
}

StepContext TrainingSteps::step_context() const {
  std::function<void(double loss)> before_updates;
  if (context_.options.checks_finite) {
    before_updates = [this](double loss) {
      require_finite_step(loss, schedule_, context_.parameters, context_.world);
    };
  }
  // An evaluation and a check of the gradient end the runner, and data that it loaded are lost.
  const auto loads_ahead = [this](std::int64_t step) {
    const bool is_evaluated = context_.test != nullptr && begins_epoch(step);
    return step < steps_ && !is_evaluated && !cycles_.is_due(step, plan_);
  };
  return {.backend = &context_.backend,
          .parameters = &context_.parameters,
          .groups = &context_.groups,
          .data = &context_.data,
          .states = &states_,
          .in_place_of_communication = {},
          .before_updates = before_updates,
          .overlap = plan_.overlap,
          .graphs = context_.options.graphs,
          .loads_ahead = loads_ahead};
}

void TrainingSteps::drop_runner() {
  if (!runner_) return;
  states_ = runner_->memory().chain_states();
  runner_.reset();
}

Sharded TrainingSteps::sharded() const {
  return {.schedule = schedule_, .store = context_.parameters, .groups = context_.groups};
}

StepState TrainingSteps::state_of(std::int64_t step) const {
  return cnnplan::state_of(step, context_.options, plan_.precision);
}

void TrainingSteps::run_step(std::int64_t step, RunReport& report) {
  const bool is_traced = tracer_ && tracer_->traces(step);
  if (is_traced) tracer_->prepare();
  {
    const Activity activity("begin of a step");
    context_.world.barrier();
  }
  if (is_traced) tracer_->begin();
  run_checked(step);
  if (is_traced) tracer_->end(*runner_);
  report.loss.push_back(finite_loss(*runner_, step));
  times_->record(step, *runner_);
  if (!context_.callbacks.progress) return;
  context_.callbacks.progress({.step = step + 1,
                               .steps = steps_,
                               .loss = report.loss.back(),
                               .step_s = runner_->step_time_s()});
}

void TrainingSteps::run_checked(std::int64_t step) {
  try {
    return runner_->run(state_of(step), times_->timing_of(step));
  } catch (const NotFiniteStep& found) {
    const std::string first = first_not_finite(
        {.schedule = schedule_, .network = plan_.network, .store = context_.parameters},
        *runner_,
        state_of(step),
        context_.world);
    const std::string note = two_values_note(plan_);
    throw NotFiniteError("step " + std::to_string(step) + " is not finite: " + first +
                         "; the loss is " + std::to_string(found.loss()) +
                         ", and the parameters are as before the step" +
                         (note.empty() ? "" : "; " + note));
  }
}

bool TrainingSteps::begins_epoch(std::int64_t step) const {
  return context_.options.epochs > 0 && step > 0 && step % context_.data.step_count() == 0;
}

// All ranks stop after one and the same step, whichever rank got the signal.
void TrainingSteps::save_or_stop(std::int64_t done, const RunReport& report) {
  const auto signal = static_cast<int>(context_.world.maximum(context_.signals.last()));
  const bool stops = signal != 0 && done < steps_;
  if (!stops && !is_checkpoint_due(done)) return;
  gather_weights(sharded());
  require_finite(done);
  const WholeMomentum momentum(sharded());
  context_.checkpoints->write(progress(done, report), plan_, context_.parameters);
  if (context_.callbacks.saved && context_.world.rank() == 0) context_.callbacks.saved(done);
  if (!stops) return;
  throw PreemptedError(signal_name(signal) + ": stopped after step " + std::to_string(done) +
                       " of " + std::to_string(steps_) + "; --restart " +
                       context_.checkpoints->folder() + " goes on");
}

bool TrainingSteps::is_checkpoint_due(std::int64_t done) const {
  const std::int64_t period = context_.options.checkpoint_period;
  if (done == steps_) return true;
  return period > 0 ? done % period == 0 : begins_epoch(done);
}

Checkpoint TrainingSteps::progress(std::int64_t done, const RunReport& report) const {
  const StepState state = state_of(done);
  return {.plan_sha256 = context_.given_sha256,
          .network = plan_.network,
          .batch = plan_.batch,
          .seed = state.seed,
          .samples = context_.data.sample_count(),
          .step = done,
          .learning_rate = state.learning_rate,
          .momentum = state.momentum,
          .weight_decay = state.weight_decay,
          .loss_scale = state.loss_scale,
          .crop = crop_of(context_.options.augmentation),
          .mirror = context_.options.augmentation.mirrors,
          .sample_blocks = plan_.sample_blocks,
          .loss = report.loss,
          .test_accuracy = report.test_accuracy,
          .test_loss = report.test_loss,
          .gradient_checks = report.gradient_checks,
          .raised_cycles = raised_cycles(context_.given, plan_)};
}

void TrainingSteps::average_running_values() {
  cnnplan::average_running_values(context_.parameters, plan_, context_.world);
}

void TrainingSteps::evaluate(RunReport& report) {
  if (context_.test == nullptr) return;
  const Activity activity("evaluation");
  drop_runner();
  const double result = cnnplan::evaluate(
      plan_, context_.backend, context_.parameters, context_.groups, *context_.test);
  const bool is_loss = has_targets(plan_.network);
  if (!std::isfinite(result)) {
    throw NotFiniteError("the test data have an output or a loss that is not finite after " +
                         std::to_string(report.loss.size()) + " steps");
  }
  (is_loss ? report.test_loss : report.test_accuracy).push_back(result);
  if (!context_.callbacks.evaluated || context_.world.rank() != 0) return;
  const std::int64_t epochs = context_.options.epochs;
  const std::int64_t done = std::ssize(report.loss) / context_.data.step_count();
  context_.callbacks.evaluated(
      {.epoch = epochs > 0 ? done : 0, .epochs = epochs, .result = result, .is_loss = is_loss});
}

void TrainingSteps::check_gradient(std::int64_t step, RunReport& report) {
  drop_runner();
  const Plan plan = cycles_.check(plan_, step_context(), state_of(step), report);
  if (plan.multigrid == plan_.multigrid) return;
  change_to(plan, step);
  if (tracer_) stop_tracing();
}

void TrainingSteps::change_to(const Plan& plan, std::int64_t step) {
  plan_ = plan;
  schedule_ = lower(plan_, context_.world.rank());
  times_.emplace(context_, schedule_, plan_.network, Range{step, steps_});
  if (!context_.callbacks.note || context_.world.rank() != 0) return;
  const int cycles = most_cycles(plan_);
  context_.callbacks.note("from step " + std::to_string(step) + " on, " +
                          (cycles > 0 ? "multigrid has " + std::to_string(cycles) + " cycles"
                                      : std::string("the layers of chains are run in order")) +
                          ": times are of these steps, and the prediction does not hold for them");
}

}  // namespace cnnplan
