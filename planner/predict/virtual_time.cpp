// Simulates ranks in turns. Each runs until an operation whose partners have not arrived yet.
#include "planner/predict/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

namespace cnnplan {
namespace {

double seconds_of(const Price& price, Estimate estimate) {
  if (estimate == Estimate::low) return price.low_s;
  return estimate == Estimate::high ? price.high_s : price.seconds;
}

// Says how far the kernels of a lane are.
struct LaneEnds {
  double free_s = 0.0;  // when the next kernel may begin
  double last_s = 0.0;  // when the last kernel ended
};

// Says when an operation's own rank can begin it, and when all ranks that take part can.
struct Begin {
  double ready_s = 0.0;
  double start_s = 0.0;
};

struct Interval {
  double begin_s = 0.0;
  double end_s = 0.0;
};

double length_of_union(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.begin_s < b.begin_s;
  });
  double length_s = 0.0;
  double covered_s = 0.0;  // all time before is counted
  for (const Interval& interval : intervals) {
    const double begin_s = std::max(covered_s, interval.begin_s);
    length_s += std::max(0.0, interval.end_s - begin_s);
    covered_s = std::max(covered_s, interval.end_s);
  }
  return length_s;
}

class RankWalk {
 public:
  RankWalk(const RankWork& work,
           const IndexedVector<OperationIndex, Price>& prices,
           std::size_t own,
           const VirtualTimeOptions& options)
      : work_(work), prices_(prices), own_(own), options_(options) {
    const auto last = std::max_element(work.lanes.begin(), work.lanes.end());
    const std::size_t lanes = last == work.lanes.end() ? 1 : static_cast<std::size_t>(*last) + 1;
    lanes_.resize(lanes, {.free_s = options.begin_s, .last_s = options.begin_s});
    stream_end_s_.fill(options.begin_s);
    timeline_.ends_s.reserve(work.size());
    timeline_.durations_s.reserve(work.size());
  }

  bool done() const { return timeline_.ends_s.size() == work_.size(); }

  // Runs until a partner is missing. Returns true when at least one operation was completed.
  bool advance(Arrivals& arrivals) {
    const std::size_t before = timeline_.ends_s.size();
    while (!done() && complete_next(arrivals)) {
    }
    return timeline_.ends_s.size() > before;
  }

  RankTimeline timeline() && {
    RankTimeline result = std::move(timeline_);
    for (double end : result.ends_s) result.end_s = std::max(result.end_s, end);
    const double own_s = options_.begin_s + own_s_ + length_of_union(own_in_lanes_);
    result.exposed_s = std::max(0.0, result.end_s - own_s);
    return result;
  }

 private:
  bool complete_next(Arrivals& arrivals) {
    const OperationIndex index(timeline_.ends_s.size());
    const Meeting* const meeting = meeting_at(index);
    const bool beside = overlaps(index, meeting);
    const double ready = ready_s(index, meeting);
    double start = ready;
    // Kernels that waited for communication go on at the same time on all ranks that took part.
    if (!beside && start > std::max(lane_of(index).free_s, kernels_until_s_)) spread_s_ = 0.0;
    if (meeting != nullptr) {
      const std::optional<double> met_s = arrivals.meet(own_, met_, arrival(index, start, beside));
      if (!met_s) return false;
      start = *met_s;
      if (!beside && !arrivals.meetings().is_alone(own_, met_)) spread_s_ = 0.0;
      ++met_;
    }
    const double filled = finish(index, meeting, {.ready_s = ready, .start_s = start});
    if (spreads()) spread_s_ += filled * prices_[index].rank_spread_s;
    return true;
  }

  // After another meeting of its stream, the ranks arrive at the same time.
  Arrival arrival(OperationIndex operation, double start, bool beside) {
    const bool follows = beside && start <= stream_end(operation);
    return {.time_s = start, .spread_s = follows ? 0.0 : spread_s_};
  }

  bool spreads() const { return options_.spreads && options_.estimate != Estimate::low; }

  // Returns null where the operation is no communication.
  const Meeting* meeting_at(OperationIndex operation) const {
    const bool is_next =
        met_ < work_.meetings.size() && work_.meetings[met_].operation == operation;
    return is_next ? &work_.meetings[met_] : nullptr;
  }

  // Returns the end of the last communication in the operation's stream, next to kernels.
  double& stream_end(OperationIndex operation) {
    return stream_end_s_[static_cast<std::size_t>(work_.streams[operation])];
  }
  LaneEnds& lane_of(OperationIndex operation) { return lanes_[work_.lanes[operation]]; }

  bool overlaps(OperationIndex operation, const Meeting* meeting) const {
    return options_.overlap > 0.0 && work_.streams[operation] != Stream::compute &&
           meeting != nullptr;
  }

  double ready_s(OperationIndex operation, const Meeting* meeting) {
    const bool beside = overlaps(operation, meeting);
    double ready = beside ? stream_end(operation) : lane_of(operation).free_s;
    for (OperationIndex index : work_.dependencies_of(operation)) {
      ready = std::max(ready, timeline_.ends_s[index]);
    }
    return ready;
  }

  // Appends the operation's times. Returns the part of its time in which no earlier operation of
  // the list runs a kernel on this rank.
  double finish(OperationIndex operation, const Meeting* meeting, const Begin& begin) {
    const double seconds = seconds_of(prices_[operation], options_.estimate);
    const double start = begin.start_s;
    const double end = start + seconds;
    LaneEnds& lane = lane_of(operation);
    timeline_.ends_s.push_back(end);
    if (overlaps(operation, meeting)) {
      stream_end(operation) = end;
      lane.free_s += (1.0 - options_.overlap) * seconds;
      timeline_.durations_s.push_back(end - start);
      if (!meeting->waits_for_others) own_s_ += seconds;
      return 1.0;
    }
    const double begin_s = lanes_.size() > 1 ? begin.ready_s : lane.last_s;
    timeline_.durations_s.push_back(end - std::min(begin_s, end));
    lane = {.free_s = end, .last_s = end};
    if (meeting != nullptr && meeting->waits_for_others) return 1.0;
    if (lanes_.size() > 1) {
      own_in_lanes_.push_back({start, end});
    } else {
      own_s_ += seconds;
    }
    const double filled = filled_by(start, end);
    kernels_until_s_ = std::max(kernels_until_s_, end);
    return filled;
  }

  double filled_by(double start, double end) const {
    if (start >= kernels_until_s_) return 1.0;
    return end <= kernels_until_s_ ? 0.0 : (end - kernels_until_s_) / (end - start);
  }

  const RankWork& work_;
  const IndexedVector<OperationIndex, Price>& prices_;
  std::size_t own_;  // this rank's class
  const VirtualTimeOptions& options_;
  std::size_t met_ = 0;  // meetings that are over
  std::array<double, 4> stream_end_s_{};
  std::vector<LaneEnds> lanes_;
  double kernels_until_s_ = 0.0;        // the end of all kernels and loading so far
  double own_s_ = 0.0;                  // kernels, loading, and copies that stay on the rank
  std::vector<Interval> own_in_lanes_;  // their times, where there are several lanes
  // This is the spread of the kernels since the rank last waited. A rank that is slow in one kernel
  // is slow in the next.
  double spread_s_ = 0.0;
  RankTimeline timeline_;  // of the operations so far, without sums
};

std::vector<RankTimeline> run(std::vector<RankWalk>& ranks, const Meetings& meetings) {
  Arrivals arrivals(meetings);
  const auto done = [](const RankWalk& rank) { return rank.done(); };
  while (!std::all_of(ranks.begin(), ranks.end(), done)) {
    bool progress = false;
    for (RankWalk& rank : ranks) progress = rank.advance(arrivals) || progress;
    if (!progress) throw std::logic_error("the schedules of the ranks wait for each other");
  }
  std::vector<RankTimeline> timelines;
  for (RankWalk& rank : ranks) timelines.push_back(std::move(rank).timeline());
  return timelines;
}

}  // namespace

double overlap_of(const Plan& plan, const Platform& platform) {
  return plan.overlap ? platform.overlap_efficiency : 0.0;
}

VirtualTimeOptions walk_options(const Plan& plan, const PriceList& prices) {
  return {.overlap = overlap_of(plan, prices.platform()),
          .begin_s = prices.kernels().step_overhead_s()};
}

std::vector<RankTimeline> walk(std::span<const RankWork> work,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options) {
  return Walks(work, classes)(options);
}

std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options) {
  std::vector<RankWork> work;
  for (const PricedSchedule& priced : schedules) work.push_back(work_of(priced));
  return walk(work, classes, options);
}

std::vector<RankTimeline> Walks::operator()(const VirtualTimeOptions& options) const {
  std::vector<RankWalk> ranks;
  ranks.reserve(work_.size());
  for (std::size_t i = 0; i < work_.size(); ++i) {
    ranks.emplace_back(work_[i], work_[i].prices, i, options);
  }
  return run(ranks, meetings_);
}

std::vector<RankTimeline> Walks::operator()(
    std::span<const IndexedVector<OperationIndex, Price>> prices,
    const VirtualTimeOptions& options) const {
  std::vector<RankWalk> ranks;
  ranks.reserve(work_.size());
  for (std::size_t i = 0; i < work_.size(); ++i) {
    ranks.emplace_back(work_[i], prices[i], i, options);
  }
  return run(ranks, meetings_);
}

double step_time_s(std::span<const RankTimeline> timelines) {
  double slowest = 0.0;
  for (const RankTimeline& timeline : timelines) slowest = std::max(slowest, timeline.end_s);
  return slowest;
}

}  // namespace cnnplan
