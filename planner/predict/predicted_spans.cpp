// Lowers the representative of every class, and keeps the names and the times of its operations.
#include "planner/predict/predicted_spans.hpp"

#include "planner/predict/plan_work.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

ClassSpans without_times(const PricedSchedule& priced) {
  const Schedule& schedule = priced.schedule;
  ClassSpans spans{.memory_bytes = memory_of(schedule, {.device = priced.device}).total_bytes()};
  spans.operations.reserve(schedule.operations.size());
  for (const Operation& operation : schedule.operations) {
    spans.operations.push_back({.id = operation.id,
                                .label = operation.label,
                                .stream = operation.stream,
                                .lane = operation.lane});
  }
  return spans;
}

}  // namespace

PredictedSpans predicted_spans(const Plan& plan,
                               const RankClasses& classes,
                               const PriceList& prices) {
  PredictedSpans result;
  result.classes.resize(classes.representatives().size());
  const auto keep = [&](std::size_t i, const PricedSchedule& made) {
    result.classes[i] = without_times(made);
  };
  const PlanWork work = work_of(plan, classes, Detail::timed, prices, keep);
  const VirtualTimeOptions options = walk_options(plan, prices);
  const std::vector<RankTimeline> timelines = walk(work, options);
  result.step_s = step_time_s(timelines);
  for (std::size_t i = 0; i < work.ranks.size(); ++i) {
    const auto spans = spans_of(work.ranks[i], timelines[i], options);
    for (const OperationIndex j : spans.indices()) {
      result.classes[i].operations[j].span = spans[j];
    }
  }
  return result;
}

}  // namespace cnnplan
