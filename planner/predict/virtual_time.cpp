// Lockstep simulation: every rank runs until it meets an operation whose partners are behind.
#include "planner/predict/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace cnnplan {
namespace {

constexpr double not_arrived = -1.0;

double seconds_of(const Price& price, Estimate estimate) {
  if (estimate == Estimate::low) return price.low_s;
  return estimate == Estimate::high ? price.high_s : price.seconds;
}

// When each rank reached each operation that communicates.
class Arrivals {
 public:
  explicit Arrivals(std::span<const PricedSchedule> schedules) : ranks_(schedules.size()) {
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (const PricedSchedule& priced : schedules) {
      std::vector<std::size_t>& meetings = meetings_.emplace_back();
      for (const Operation& operation : priced.schedule.operations) {
        if (!is_communication(operation)) {
          meetings.push_back(0);
          continue;
        }
        meetings.push_back(numbers.try_emplace(operation.id, numbers.size()).first->second);
      }
    }
    times_s_.assign(ranks_ * numbers.size(), not_arrived);
  }
  // By rank, of operation `index` of rank `rank`.
  std::span<double> of(int rank, std::size_t index) {
    const std::size_t meeting = meetings_[static_cast<std::size_t>(rank)][index];
    return std::span(times_s_).subspan(meeting * ranks_, ranks_);
  }

 private:
  std::size_t ranks_;
  std::vector<std::vector<std::size_t>> meetings_;  // by rank and operation: number of its id
  std::vector<double> times_s_;
};

class RankWalk {
 public:
  RankWalk(const PricedSchedule& priced, const VirtualTimeOptions& options)
      : schedule_(priced.schedule), prices_(priced.prices), options_(options) {
    ends_s_.reserve(prices_.size());
    durations_s_.reserve(prices_.size());
  }

  bool done() const { return ends_s_.size() == schedule_.operations.size(); }

  // Runs until a partner is missing. True when at least one operation was completed.
  bool advance(Arrivals& arrivals) {
    const std::size_t before = ends_s_.size();
    while (!done() && complete_next(arrivals)) {
    }
    return ends_s_.size() > before;
  }

  RankTimeline timeline() const {
    RankTimeline result{.durations_s = durations_s_};
    for (double end : ends_s_) result.end_s = std::max(result.end_s, end);
    result.exposed_s = std::max(0.0, result.end_s - own_s_);
    return result;
  }

 private:
  bool complete_next(Arrivals& arrivals) {
    const std::size_t index = ends_s_.size();
    const Operation& operation = schedule_.operations[index];
    double start = ready_s(operation);
    if (is_communication(operation)) {
      const std::span<double> arrivals_s = arrivals.of(schedule_.rank, index);
      arrivals_s[static_cast<std::size_t>(schedule_.rank)] = start;
      for (int partner : partners(operation, schedule_.rank)) {
        const double arrival = arrivals_s[static_cast<std::size_t>(partner)];
        if (arrival == not_arrived) return false;
        start = std::max(start, arrival);
      }
    }
    finish(operation, start, seconds_of(prices_[index], options_.estimate));
    return true;
  }

  double& stream_end(Stream stream) { return stream_end_s_[static_cast<std::size_t>(stream)]; }

  bool overlaps(const Operation& operation) const {
    return options_.overlap > 0.0 && operation.stream != Stream::compute &&
           is_communication(operation);
  }

  double ready_s(const Operation& operation) {
    double ready = stream_end(overlaps(operation) ? operation.stream : Stream::compute);
    for (OperationIndex index : operation.depends_on) {
      ready = std::max(ready, ends_s_[static_cast<std::size_t>(index)]);
    }
    return ready;
  }

  void finish(const Operation& operation, double start, double seconds) {
    const double end = start + seconds;
    double& compute = stream_end(Stream::compute);
    const double previous = last_end_s_;
    if (overlaps(operation)) {
      stream_end(operation.stream) = end;
      compute += (1.0 - options_.overlap) * seconds;
      durations_s_.push_back(end - start);
    } else {
      compute = end;
      durations_s_.push_back(end - std::min(previous, end));
      last_end_s_ = end;
    }
    if (partners(operation, schedule_.rank).empty()) own_s_ += seconds;
    ends_s_.push_back(end);
  }

  const Schedule& schedule_;
  const std::vector<Price>& prices_;
  const VirtualTimeOptions& options_;
  std::array<double, 4> stream_end_s_{};
  double last_end_s_ = 0.0;
  double own_s_ = 0.0;  // kernels, loading, and copies that stay on the rank
  std::vector<double> ends_s_;
  std::vector<double> durations_s_;
};

}  // namespace

double overlap_of(const Plan& plan, const Platform& platform) {
  return plan.overlap ? platform.overlap_efficiency : 0.0;
}

std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const VirtualTimeOptions& options) {
  Arrivals arrivals(schedules);
  std::vector<RankWalk> ranks;
  for (const PricedSchedule& schedule : schedules) {
    ranks.emplace_back(schedule, options);
  }
  const auto done = [](const RankWalk& rank) { return rank.done(); };
  while (!std::all_of(ranks.begin(), ranks.end(), done)) {
    bool progress = false;
    for (RankWalk& rank : ranks) progress = rank.advance(arrivals) || progress;
    if (!progress) throw std::logic_error("the schedules of the ranks wait for each other");
  }
  std::vector<RankTimeline> timelines;
  for (const RankWalk& rank : ranks) timelines.push_back(rank.timeline());
  return timelines;
}

double step_time_s(std::span<const RankTimeline> timelines) {
  double slowest = 0.0;
  for (const RankTimeline& timeline : timelines) slowest = std::max(slowest, timeline.end_s);
  return slowest;
}

}  // namespace cnnplan
