// Gives each traced rank the times of its class, and the messages and memory of its own schedule.
#include "planner/trace/predicted_step.hpp"

#include <numeric>
#include <string>
#include <unordered_map>

#include "planner/predict/predicted_spans.hpp"
#include "planner/trace/rank_trace.hpp"

namespace cnnplan {
namespace {

TracedSpan to_traced(const OperationSpan& span) {
  return {.begin_ns = to_nanoseconds(span.begin_s),
          .work_begin_ns = to_nanoseconds(span.work_begin_s),
          .end_ns = to_nanoseconds(span.end_s)};
}

using SpansById = std::unordered_map<std::string, TracedSpan>;

// Returns the spans of the operations whose ids the class of the rank has, too.
OperationSpans spans_in(const Schedule& schedule, const SpansById& by_id) {
  OperationSpans spans(schedule.operations.size());
  for (const OperationIndex i : schedule.operations.indices()) {
    const auto found = by_id.find(schedule.operations[i].id);
    if (found != by_id.end()) spans[i] = found->second;
  }
  return spans;
}

std::vector<int> ranks_of(const RankClasses& classes, const std::optional<Range>& chosen) {
  if (!chosen && classes.rank_count() > most_traced_ranks) return classes.representatives();
  const Range range = chosen.value_or(Range{0, classes.rank_count()});
  std::vector<int> ranks(range.size());
  std::iota(ranks.begin(), ranks.end(), static_cast<int>(range.begin));
  return ranks;
}

std::string name_of_rank(int rank, const RankClasses& classes, bool stands_for_class) {
  const std::string name = "rank " + std::to_string(rank);
  const int like = classes.sizes()[classes.class_of(rank)];
  const bool is_alone = !stands_for_class || like == 1;
  return name + (is_alone ? "" : " of " + std::to_string(like) + " alike") + ", predicted";
}

// Returns the spans of each class by the ids of its operations.
std::vector<SpansById> by_id(const PredictedSpans& spans) {
  std::vector<SpansById> by_class(spans.classes.size());
  for (std::size_t i = 0; i < by_class.size(); ++i) {
    for (const SpannedOperation& operation : spans.classes[i].operations) {
      by_class[i][operation.id] = to_traced(operation.span);
    }
  }
  return by_class;
}

}  // namespace

PredictedStep predicted_step(const Plan& plan,
                             const PriceList& prices,
                             const std::optional<Range>& chosen) {
  const RankClasses classes = RankClasses::of(plan, prices.platform());
  const std::vector<int> ranks = ranks_of(classes, chosen);
  const bool stand_for_classes = !chosen && classes.rank_count() > most_traced_ranks;
  const PredictedSpans predicted = predicted_spans(plan, classes, prices);
  const std::vector<SpansById> spans = by_id(predicted);
  const TraceOrigin origin{.source = TraceSource::predicted, .device = prices.kernels().device()};
  PredictedStep step{.step_s = predicted.step_s};
  step.ranks.resize(ranks.size());
  lower_each(plan, ranks, {.detail = Detail::timed}, [&](std::size_t i, const Schedule& schedule) {
    const OperationSpans own = spans_in(schedule, spans[classes.class_of(ranks[i])]);
    step.ranks[i] = traced_rank(schedule, plan.network, own, origin);
    step.ranks[i].name = name_of_rank(ranks[i], classes, stand_for_classes);
  });
  return step;
}

}  // namespace cnnplan
