// Joins the operations of all classes of ranks with their times.
#include "planner/predict/timeline.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/predict/rank_work.hpp"
#include "planner/predict/virtual_time.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

// Holds what the timeline keeps of the schedule of a class's rank.
struct ClassWork {
  std::vector<TimelineOperation> operations;
  std::vector<std::int64_t> arena_bytes;  // in use during each operation
  std::int64_t memory_bytes = 0;
};

// Adds up the buffers that live during each operation.
std::vector<std::int64_t> arena_bytes(const Schedule& schedule) {
  std::vector<std::int64_t> bytes(schedule.operations.size() + 1);
  for (const Buffer& buffer : schedule.buffers) {
    if (!in_arena(buffer.role) || buffer.first_use < 0) continue;
    bytes[buffer.first_use] += buffer.bytes;
    bytes[buffer.last_use + 1] -= buffer.bytes;
  }
  bytes.pop_back();
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  return bytes;
}

ClassWork class_work(const Schedule& schedule) {
  ClassWork work{.operations = {},
                 .arena_bytes = arena_bytes(schedule),
                 .memory_bytes = memory_of(schedule).total_bytes()};
  for (const Operation& operation : schedule.operations) {
    work.operations.push_back(
        {.id = operation.id, .label = operation.label, .stream = operation.stream});
  }
  return work;
}

// Numbers operations by their ids, and collects tracks. Keeps views of ids.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(double step_s) { timeline_.step_s = step_s; }

  void add(const ClassWork& work,
           const RankWork& rank,
           const RankTimeline& times,
           std::vector<int> ranks) {
    std::vector<TimelineEvent> events;
    for (const OperationIndex i : rank.prices.indices()) {
      const double duration_s = times.durations_s[i];
      const double busy_s = std::min(rank.prices[i].seconds, duration_s);
      events.push_back({.operation = number_of(work.operations[i]),
                        .lane = rank.lanes[i],
                        .start_s = times.ends_s[i] - duration_s,
                        .waiting_s = duration_s - busy_s,
                        .busy_s = busy_s});
    }
    add_memory(work, ranks.front(), events);
    add_track(std::move(ranks), std::move(events));
  }
  Timeline result() && { return std::move(timeline_); }

 private:
  std::size_t number_of(const TimelineOperation& operation) {
    const auto [entry, is_new] = numbers_.try_emplace(operation.id, timeline_.operations.size());
    if (is_new) timeline_.operations.push_back(operation);
    return entry->second;
  }

  // Ranks with equal events share a track.
  void add_track(std::vector<int> ranks, std::vector<TimelineEvent> events) {
    for (TimelineTrack& track : timeline_.tracks) {
      if (track.events != events) continue;
      track.ranks.insert(track.ranks.end(), ranks.begin(), ranks.end());
      std::sort(track.ranks.begin(), track.ranks.end());
      return;
    }
    timeline_.tracks.push_back({.ranks = std::move(ranks), .events = std::move(events)});
  }

  void add_memory(const ClassWork& work, int rank, const std::vector<TimelineEvent>& events) {
    if (work.memory_bytes <= most_bytes_) return;
    most_bytes_ = work.memory_bytes;
    timeline_.memory_rank = rank;
    timeline_.memory.clear();
    double latest_s = 0.0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      latest_s = std::max(latest_s, events[i].start_s);
      timeline_.memory.push_back({.start_s = latest_s, .arena_bytes = work.arena_bytes[i]});
    }
  }

  Timeline timeline_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::int64_t most_bytes_ = -1;
};

std::vector<std::vector<int>> ranks_by_class(const RankClasses& classes) {
  std::vector<std::vector<int>> ranks(classes.representatives().size());
  for (int rank = 0; rank < classes.rank_count(); ++rank) {
    ranks[classes.class_of(rank)].push_back(rank);
  }
  return ranks;
}

}  // namespace

Timeline timeline_of(const Plan& plan, const PriceList& prices) {
  const RankClasses classes = RankClasses::of(plan, prices.platform());
  std::vector<ClassWork> works(classes.representatives().size());
  std::vector<RankWork> ranks(works.size());
  lower_each(plan,
             classes.representatives(),
             {.detail = Detail::timed},
             [&](std::size_t i, Schedule schedule) {
               works[i] = class_work(schedule);
               ranks[i] = work_of(priced(std::move(schedule), prices));
             });
  const std::vector<RankTimeline> times =
      walk(ranks, classes, {.overlap = overlap_of(plan, prices.platform())});
  TimelineBuilder builder(step_time_s(times));
  std::vector<std::vector<int>> members = ranks_by_class(classes);
  for (std::size_t i = 0; i < works.size(); ++i) {
    builder.add(works[i], ranks[i], times[i], std::move(members[i]));
  }
  return std::move(builder).result();
}

}  // namespace cnnplan
