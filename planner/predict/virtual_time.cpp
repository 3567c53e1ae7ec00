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

bool communicates(const Operation& operation) {
  return std::holds_alternative<TransferOperation>(operation.body) ||
         std::holds_alternative<CollectiveOperation>(operation.body);
}

// When each rank reached each operation that communicates.
class Arrivals {
 public:
  explicit Arrivals(std::span<const Schedule> schedules) : ranks_(schedules.size()) {
    for (const Schedule& schedule : schedules) {
      for (const Operation& operation : schedule.operations) {
        if (communicates(operation)) numbers_.try_emplace(operation.id, numbers_.size());
      }
    }
    times_s_.assign(ranks_ * numbers_.size(), not_arrived);
  }
  double& at(std::string_view id, int rank) {
    return times_s_[numbers_.at(id) * ranks_ + static_cast<std::size_t>(rank)];
  }

 private:
  std::size_t ranks_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::vector<double> times_s_;
};

class RankWalk {
 public:
  RankWalk(const Schedule& schedule, const PriceList& prices, Estimate estimate)
      : schedule_(schedule), prices_(prices), estimate_(estimate) {
    ends_s_.reserve(schedule.operations.size());
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
    return result;
  }

 private:
  bool complete_next(Arrivals& arrivals) {
    const Operation& operation = schedule_.operations[ends_s_.size()];
    double start = ready_s(operation);
    if (communicates(operation)) {
      arrivals.at(operation.id, schedule_.rank) = start;
      for (int partner : partners(operation, schedule_.rank)) {
        const double arrival = arrivals.at(operation.id, partner);
        if (arrival == not_arrived) return false;
        start = std::max(start, arrival);
      }
    }
    finish(operation, start, seconds_of(prices_(schedule_, operation), estimate_));
    return true;
  }

  double& stream_end(Stream stream) { return stream_end_s_[static_cast<std::size_t>(stream)]; }

  bool overlaps(const Operation& operation) const {
    return operation.stream != Stream::compute && communicates(operation) &&
           prices_.platform().overlap_efficiency > 0.0;
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
      compute += (1.0 - prices_.platform().overlap_efficiency) * seconds;
      durations_s_.push_back(end - start);
    } else {
      compute = end;
      durations_s_.push_back(end - std::min(previous, end));
      last_end_s_ = end;
    }
    ends_s_.push_back(end);
  }

  const Schedule& schedule_;
  const PriceList& prices_;
  Estimate estimate_;
  std::array<double, 4> stream_end_s_{};
  double last_end_s_ = 0.0;
  std::vector<double> ends_s_;
  std::vector<double> durations_s_;
};

}  // namespace

std::vector<RankTimeline> walk(std::span<const Schedule> schedules,
                               const PriceList& prices,
                               Estimate estimate) {
  Arrivals arrivals(schedules);
  std::vector<RankWalk> ranks;
  for (const Schedule& schedule : schedules) ranks.emplace_back(schedule, prices, estimate);
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
