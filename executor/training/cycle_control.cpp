// Repeats checks with one more cycle each until a gradient holds, or layers run in order.
#include "executor/training/cycle_control.hpp"

#include <cmath>

#include "executor/comm/node_memory.hpp"
#include "executor/training/gradient_check.hpp"
#include "executor/training/raise_cycles.hpp"
#include "executor/training/training_memory.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

bool is_finite(const GradientCheck& check) {
  return std::isfinite(check.cosine) && std::isfinite(check.relative_error);
}

// Returns false if a residual is not finite.
bool is_reduced(const std::vector<double>& residuals, double first, double limit) {
  return std::isfinite(first) && residuals.back() <= limit * first;
}

}  // namespace

bool CycleControl::is_due(std::int64_t step, const Plan& plan) const {
  const std::optional<std::int64_t>& period = context_.options.gradient_check_period;
  if (!period || plan.multigrid.empty()) return false;
  return step == 0 || (*period > 0 && step % *period == 0);
}

Plan CycleControl::check(const Plan& plan,
                         const StepContext& step,
                         const StepState& state,
                         RunReport& report) {
  const Gradient serial = gradient_under(serial_plan(plan), step, state);
  Plan checked = plan;
  for (bool holds = false; !holds && !checked.multigrid.empty();) {
    const Gradient gradient = gradient_under(checked, step, state);
    const GradientDifference found = difference(gradient, serial, context_.world);
    const GradientCheck check{
        .step = state.step,
        .cycles = most_cycles(checked),
        .cosine = found.cosine,
        .relative_error = found.relative_error,
        .forward_residuals = norms(gradient.residual_squares[0], context_.world),
        .backward_residuals = norms(gradient.residual_squares[1], context_.world)};
    tell(check, report);
    holds = this->holds(check, plan);
    if (!first_check_) first_check_ = check;
    if (!holds) checked = raised(checked);
  }
  return checked;
}

bool CycleControl::holds(const GradientCheck& check, const Plan& plan) const {
  const std::optional<double>& gradient_limit = context_.options.gradient_limit;
  const std::optional<double>& residual_limit = context_.options.residual_limit;
  if (!is_finite(check)) {
    if (gradient_limit || residual_limit) return false;
    throw NotFiniteError("the gradient of step " + std::to_string(check.step) + " is not finite");
  }
  if (gradient_limit && check.relative_error > *gradient_limit) return false;
  // Good states of the previous step leave little to reduce, so a warm start compares with the
  // first check.
  const GradientCheck& first = has_warm_start(plan) && first_check_ ? *first_check_ : check;
  return !residual_limit ||
         (is_reduced(check.forward_residuals, first.forward_residuals.front(), *residual_limit) &&
          is_reduced(check.backward_residuals, first.backward_residuals.front(), *residual_limit));
}

Plan CycleControl::raised(const Plan& plan) const {
  Plan raised = with_one_more_cycle(plan);
  const Schedule schedule = lower(raised, context_.world.rank());
  const DeviceKind device = kind_of(context_.backend.device());
  require_memory(needed_bytes(raised, schedule, context_.options, device),
                 plan.network.name() + " with more cycles",
                 context_.world,
                 context_.backend.device());
  return raised;
}

void CycleControl::tell(const GradientCheck& check, RunReport& report) const {
  if (is_finite(check)) report.gradient_checks.push_back(check);
  if (context_.callbacks.checked && context_.world.rank() == 0) context_.callbacks.checked(check);
}

}  // namespace cnnplan
