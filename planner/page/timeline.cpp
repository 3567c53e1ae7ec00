// Joins the classes of ranks that run the same operations at the same times.
#include "planner/page/timeline.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cnnplan {
namespace {

// Numbers operations by their ids, and collects tracks. Keeps views of ids.
class TimelineBuilder {
 public:
  void add(const ClassSpans& spans, std::vector<int> ranks) {
    std::vector<TimelineEvent> events;
    events.reserve(spans.operations.size());
    for (const SpannedOperation& operation : spans.operations) {
      events.push_back(
          {.operation = number_of(operation), .lane = operation.lane, .span = operation.span});
    }
    add_track(std::move(ranks), std::move(events));
  }
  Timeline result() && { return std::move(timeline_); }

 private:
  std::size_t number_of(const SpannedOperation& operation) {
    const auto [entry, is_new] = numbers_.try_emplace(operation.id, timeline_.operations.size());
    if (is_new) {
      timeline_.operations.push_back(
          {.id = operation.id, .label = operation.label, .stream = operation.stream});
    }
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

  Timeline timeline_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
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
  const PredictedSpans spans = predicted_spans(plan, classes, prices);
  TimelineBuilder builder;
  std::vector<std::vector<int>> members = ranks_by_class(classes);
  for (std::size_t i = 0; i < members.size(); ++i) {
    builder.add(spans.classes[i], std::move(members[i]));
  }
  Timeline timeline = std::move(builder).result();
  timeline.step_s = spans.step_s;
  const auto most = std::max_element(
      spans.classes.begin(), spans.classes.end(), [](const ClassSpans& a, const ClassSpans& b) {
        return a.memory_bytes < b.memory_bytes;
      });
  const auto rank_class = static_cast<std::size_t>(most - spans.classes.begin());
  timeline.memory = memory_timeline(
      plan, classes.representatives()[rank_class], prices.kernels().device(), *most);
  return timeline;
}

}  // namespace cnnplan
