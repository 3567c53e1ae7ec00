// Gives each traced rank the times of its class, and the messages and memory of its own schedule.
#include "planner/trace/predicted_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/predict/operation_spans.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/schedule_builder.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

std::int64_t nanoseconds(double seconds) {
  constexpr double per_second = 1e9;
  return std::llround(seconds * per_second);
}

TracedSpan to_traced(const OperationSpan& span) {
  return {.begin_ns = nanoseconds(span.begin_s),
          .work_begin_ns = nanoseconds(span.work_begin_s),
          .end_ns = nanoseconds(span.end_s)};
}

// Returns the messages to other ranks.
std::vector<TracedMessage> sends_of(const Schedule& schedule, const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  if (transfer == nullptr || transfer->source < 0) return {};
  const std::int64_t element_bytes = bytes_of(schedule.buffers[transfer->source].element);
  std::vector<TracedMessage> sends;
  for_each_message(
      transfer->list.sends, source_box(schedule, *transfer), [&](const PeerMessage& message) {
        if (message.peer == schedule.rank) return;
        sends.push_back({.peer = message.peer, .bytes = message.elements * element_bytes});
      });
  return sends;
}

using SpansById = std::unordered_map<std::string, TracedSpan>;

// Returns the operations whose ids the class of the rank has, too.
TracedRank traced_rank(const Schedule& schedule, const Network& network, const SpansById& spans) {
  TracedRank rank{.rank = schedule.rank,
                  .process = process_of(schedule.rank, TraceSource::predicted)};
  for (const Operation& operation : schedule.operations) {
    const auto found = spans.find(operation.id);
    if (found == spans.end()) continue;
    const OperationPlace place = place_of(operation.label, network);
    rank.operations.push_back({.id = operation.id,
                               .name = {.name = operation.id,
                                        .category = std::string(to_text(operation.label.part)),
                                        .layer = place.layer},
                               .stream = operation.stream,
                               .lane = operation.lane,
                               .span = found->second,
                               .sends = sends_of(schedule, operation)});
  }
  return rank;
}

// Says when operations use a buffer.
struct UsedTime {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = 0;
};

// Returns the times of the buffers in the arena. Operations of other lanes may use a buffer before
// the first use in the list, or after the last.
std::map<BufferIndex, UsedTime> used_times(const Schedule& schedule, const SpansById& spans) {
  std::map<BufferIndex, UsedTime> times;
  for (const Operation& operation : schedule.operations) {
    const auto span = spans.find(operation.id);
    if (span == spans.end()) continue;
    for (const Operand& operand : operands_of(operation.body)) {
      if (operand.buffer < 0 || !in_arena(schedule.buffers[operand.buffer].role)) continue;
      UsedTime& time = times[operand.buffer];
      time.begin_ns = std::min(time.begin_ns, span->second.begin_ns);
      time.end_ns = std::max(time.end_ns, span->second.end_ns);
    }
  }
  return times;
}

// Returns what is taken and freed. At one time, memory is freed before it is taken.
std::vector<MemoryChange> differences(const Schedule& schedule, const SpansById& spans) {
  std::vector<MemoryChange> differences;
  for (const auto& [buffer, time] : used_times(schedule, spans)) {
    const std::int64_t bytes = schedule.buffers[buffer].bytes;
    differences.push_back({.time_ns = time.begin_ns, .bytes = bytes});
    differences.push_back({.time_ns = time.end_ns, .bytes = -bytes});
  }
  std::sort(
      differences.begin(), differences.end(), [](const MemoryChange& a, const MemoryChange& b) {
        return std::pair(a.time_ns, a.bytes) < std::pair(b.time_ns, b.bytes);
      });
  return differences;
}

// What is not in the arena stays all the time.
std::vector<MemoryChange> memory_changes(const Schedule& schedule, const SpansById& spans) {
  const MemoryUse use = memory_of(schedule);
  const std::int64_t kept = use.total_bytes() - schedule.arena_bytes;
  std::vector<MemoryChange> changes{{.time_ns = 0, .bytes = kept}};
  for (const MemoryChange& difference : differences(schedule, spans)) {
    const std::int64_t bytes = changes.back().bytes + difference.bytes;
    if (difference.time_ns > changes.back().time_ns) changes.push_back(difference);
    changes.back().bytes = bytes;
  }
  return changes;
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
std::vector<SpansById> spans_by_class(const Plan& plan,
                                      const RankClasses& classes,
                                      const PriceList& prices,
                                      double& step_s) {
  std::vector<std::vector<std::string>> ids(classes.representatives().size());
  std::vector<RankWork> work(ids.size());
  lower_each(plan,
             classes.representatives(),
             {.detail = Detail::timed},
             [&](std::size_t i, Schedule schedule) {
               for (const Operation& operation : schedule.operations) {
                 ids[i].push_back(operation.id);
               }
               work[i] = work_of(priced(std::move(schedule), prices));
             });
  const double overlap = overlap_of(plan, prices.platform());
  const std::vector<RankTimeline> timelines = walk(work, classes, {.overlap = overlap});
  step_s = step_time_s(timelines);
  std::vector<SpansById> by_class(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto spans = spans_of(work[i], timelines[i], overlap);
    for (const OperationIndex j : spans.indices()) by_class[i][ids[i][j]] = to_traced(spans[j]);
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
  PredictedStep step;
  const std::vector<SpansById> spans = spans_by_class(plan, classes, prices, step.step_s);
  step.ranks.resize(ranks.size());
  step.memory.resize(ranks.size());
  for (int rank : ranks) step.names.push_back(name_of_rank(rank, classes, stand_for_classes));
  lower_each(plan, ranks, {.detail = Detail::timed}, [&](std::size_t i, const Schedule& schedule) {
    const SpansById& own = spans[classes.class_of(ranks[i])];
    step.ranks[i] = traced_rank(schedule, plan.network, own);
    step.memory[i] = memory_changes(schedule, own);
  });
  return step;
}

void add_predicted(const PredictedStep& step, std::int64_t shift_ns, EventTrace& trace) {
  add_step(step.ranks, shift_ns, trace);
  for (std::size_t i = 0; i < step.ranks.size(); ++i) {
    const int process = step.ranks[i].process;
    trace.name_process(process, step.names[i]);
    for (const MemoryChange& change : step.memory[i]) {
      trace.add_memory(process, change.time_ns + shift_ns, change.bytes);
    }
  }
}

}  // namespace cnnplan
