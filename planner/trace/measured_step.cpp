// Joins the times of a run with the schedules of its plan, by the ids of operations.
#include "planner/trace/measured_step.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "planner/base/error.hpp"
#include "planner/kernel/device_text.hpp"
#include "planner/predict/price.hpp"
#include "planner/trace/rank_trace.hpp"

namespace cnnplan {
namespace {

// Finds the times of an operation by rank and by its place in the run's list of operations.
class TimesByPlace {
 public:
  explicit TimesByPlace(const RunReport& run) : ranks_(run.trace->ranks) {
    for (const RankTimes& rank : ranks_) {
      std::vector<int>& positions = positions_.emplace_back(run.operations.size(), -1);
      for (std::size_t i = 0; i < rank.operations.size(); ++i) {
        positions[rank.operations[i]] = static_cast<int>(i);
      }
    }
  }

  // Returns when a rank ran an operation in the traced step numbered `step`, without waiting;
  // nothing if it does not have the operation.
  std::optional<TracedSpan> span(int rank, int place, std::size_t step) const {
    const int position = positions_[rank][place];
    if (position < 0) return std::nullopt;
    const OperationTimes& times = ranks_[rank].steps[step];
    const std::int64_t begin_ns = times.begin_ns[position];
    return TracedSpan{.begin_ns = begin_ns,
                      .work_begin_ns = begin_ns,
                      .end_ns = begin_ns + times.duration_ns[position]};
  }

 private:
  const std::vector<RankTimes>& ranks_;
  std::vector<std::vector<int>> positions_;  // by rank and place; -1: not there
};

using Places = std::unordered_map<std::string_view, int>;

// Returns the ranks for which an operation waits.
std::vector<int> partners_of(const Operation& operation, int rank) {
  if (!is_communication(operation) || !waits_for_others(operation, rank)) return {};
  const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
  return collective != nullptr ? collective->group.ranks() : peers(operation);
}

// Holds what is equal in all steps of a rank.
struct RankOperations {
  IndexedVector<OperationIndex, int> places;  // in the run's list
  IndexedVector<OperationIndex, std::vector<int>> partners;
};

RankOperations operations_of(const Schedule& schedule, const RunReport& run, const Places& places) {
  RankOperations own;
  for (const Operation& operation : schedule.operations) {
    const auto found = places.find(operation.id);
    own.places.push_back(found == places.end() ? -1 : found->second);
    own.partners.push_back(partners_of(operation, schedule.rank));
  }
  const std::vector<int>& traced = run.trace->ranks[schedule.rank].operations;
  if (traced == own.places.elements()) return own;
  throw Error(ExitCode::bad_input,
              "the trace of rank " + std::to_string(schedule.rank) +
                  " has other operations than the plan, which another version of cnnexec may have "
                  "run: run the plan again");
}

OperationSpans spans_in_step(const RankOperations& own,
                             int rank,
                             std::size_t step,
                             const TimesByPlace& times) {
  OperationSpans spans;
  for (const OperationIndex i : own.places.indices()) {
    std::optional<TracedSpan> span = times.span(rank, own.places[i], step);
    for (const int partner : own.partners[i]) {
      const auto other = times.span(partner, own.places[i], step);
      if (other) span->work_begin_ns = std::max(span->work_begin_ns, other->begin_ns);
    }
    span->work_begin_ns = std::min(span->work_begin_ns, span->end_ns);
    spans.push_back(span);
  }
  return spans;
}

}  // namespace

std::vector<std::vector<TracedRank>> measured_steps(const Plan& plan,
                                                    const RunReport& run,
                                                    std::span<const int> ranks) {
  const TimesByPlace times(run);
  const Places places = places_by_id(run);
  const std::size_t step_count = run.trace->ranks.front().steps.size();
  const TraceOrigin origin{
      .source = TraceSource::measured,
      .device = run.backend == gpu_backend ? DeviceKind::gpu : DeviceKind::cpu};
  std::vector<std::vector<TracedRank>> steps(step_count, std::vector<TracedRank>(ranks.size()));
  lower_each(plan, ranks, {.detail = Detail::timed}, [&](std::size_t i, const Schedule& schedule) {
    const RankOperations own = operations_of(schedule, run, places);
    for (std::size_t step = 0; step < step_count; ++step) {
      const OperationSpans spans = spans_in_step(own, schedule.rank, step, times);
      TracedRank& rank = steps[step][i];
      rank = traced_rank(schedule, plan.network, spans, origin);
      rank.name = "rank " + std::to_string(schedule.rank) + ", measured";
    }
  });
  return steps;
}

}  // namespace cnnplan
