// Adds the operations that compute residuals.
#include "planner/schedule/lower/multigrid/residual_trace.hpp"

namespace cnnplan {

void ResidualTrace::record(const LayerRange& group, const Operand& propagated) {
  const int last = group.end - 1;
  const int point = group.end;
  if (!geometry_.is_here(last) || states_.made_at(point) != geometry_.stage_of(last)) return;
  const Operand residual = states_.new_block("residual");
  states_.add(last, "/residual", -1.0, {propagated, states_.made(point), residual});
  residuals_[point].push_back({.cycles = labels_.cycle() - 1,
                               .last = labels_.cycle() > geometry_.setting().cycles,
                               .backward = labels_.phase() != KernelPhase::forward,
                               .operand = residual});
}

void ResidualTrace::keep(Schedule& schedule) const {
  for (const auto& [point, residuals] : residuals_) {
    const bool has_all = std::ssize(residuals) == geometry_.setting().cycles + 1;
    if (!has_all) continue;
    schedule.residuals.insert(schedule.residuals.end(), residuals.begin(), residuals.end());
  }
}

}  // namespace cnnplan
