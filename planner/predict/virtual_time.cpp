// Lockstep simulation: every rank runs until it meets an operation whose partners are behind.
#include "planner/predict/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "planner/predict/arrival.hpp"

namespace cnnplan {
namespace {

double seconds_of(const Price& price, Estimate estimate) {
  if (estimate == Estimate::low) return price.low_s;
  return estimate == Estimate::high ? price.high_s : price.seconds;
}

// Which classes of ranks meet in which operations, and when each reached them.
class Meetings {
 public:
  Meetings(std::span<const PricedSchedule> schedules, const RankClasses& classes)
      : classes_(classes), class_count_(schedules.size()) {
    for (const PricedSchedule& priced : schedules) add_numbers(priced.schedule);
    arrivals_.assign(class_count_ * ids_.size(), {.time_s = never});
    for (std::size_t i = 0; i < class_count_; ++i) expect(schedules[i].schedule, i);
    for (std::size_t i = 0; i < class_count_; ++i) add_partners(schedules[i].schedule, i);
  }

  // Says when `own` reached operation `index` of its schedule. The mean of when all have; nothing
  // when one has not.
  std::optional<double> meet(std::size_t own, std::size_t index, const Arrival& arrival) {
    Arrival* const arrivals = &arrivals_[numbers_[own][index] * class_count_];
    arrivals[own] = arrival;
    met_.assign(1, arrival);
    for (const Partner& partner : partners_[own][index]) {
      const Arrival& other = arrivals[partner.rank_class];
      if (other.time_s < 0.0) return std::nullopt;
      met_.push_back(other);
      met_.back().ranks = partner.ranks;
    }
    return expected_latest_s(met_);
  }

  // True where the operation waits for no other rank.
  bool is_alone(std::size_t own, std::size_t index) const { return partners_[own][index].empty(); }

 private:
  static constexpr double not_arrived = -1.0;
  static constexpr double never = -2.0;  // has no such operation

  // Other ranks of one class.
  struct Partner {
    int rank_class = 0;
    int ranks = 1;
  };

  void add_numbers(const Schedule& schedule) {
    std::vector<std::size_t>& numbers = numbers_.emplace_back();
    numbers.reserve(schedule.operations.size());
    for (const Operation& operation : schedule.operations) {
      const std::size_t next = ids_.size();
      numbers.push_back(
          is_communication(operation) ? ids_.try_emplace(operation.id, next).first->second : 0);
    }
  }

  void expect(const Schedule& schedule, std::size_t own) {
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
      if (!is_communication(schedule.operations[i])) continue;
      arrivals_[numbers_[own][i] * class_count_ + own].time_s = not_arrived;
    }
  }

  void add_partners(const Schedule& schedule, std::size_t own) {
    std::vector<std::vector<Partner>>& partners = partners_.emplace_back();
    partners.reserve(schedule.operations.size());
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
      std::vector<Partner> others = partners_of(schedule.operations[i], schedule.rank);
      std::erase_if(others, [&](const Partner& other) {
        return other.ranks == 0 || is_absent(other, numbers_[own][i]);
      });
      partners.push_back(std::move(others));
    }
  }

  // The ranks that an operation of `rank` waits for.
  std::vector<Partner> partners_of(const Operation& operation, int rank) {
    const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
    if (collective == nullptr) {
      std::vector<int> others = peers(operation);
      std::erase(others, rank);
      return by_class(others);
    }
    const auto [entry, is_new] = group_classes_.try_emplace(collective->group);
    if (is_new) entry->second = by_class(collective->group.ranks());
    std::vector<Partner> partners = entry->second;
    for (Partner& partner : partners) {
      if (partner.rank_class == classes_.class_of(rank)) --partner.ranks;
    }
    return partners;
  }

  std::vector<Partner> by_class(const std::vector<int>& ranks) const {
    std::vector<int> classes;
    for (int rank : ranks) classes.push_back(classes_.class_of(rank));
    std::sort(classes.begin(), classes.end());
    std::vector<Partner> partners;
    for (int rank_class : classes) {
      const bool is_new = partners.empty() || partners.back().rank_class != rank_class;
      if (is_new) partners.push_back({.rank_class = rank_class, .ranks = 0});
      ++partners.back().ranks;
    }
    return partners;
  }

  // A class that stands for several ranks may do without an operation that some of them have.
  bool is_absent(const Partner& other, std::size_t number) const {
    const auto index = static_cast<std::size_t>(other.rank_class);
    const bool stands_for_several = classes_.sizes()[index] > 1;
    return stands_for_several && arrivals_[number * class_count_ + index].time_s == never;
  }

  const RankClasses& classes_;
  std::size_t class_count_;
  std::unordered_map<std::string_view, std::size_t> ids_;
  std::map<RankGroup, std::vector<Partner>> group_classes_;
  std::vector<std::vector<std::size_t>> numbers_;  // by class and operation: number of its id
  std::vector<std::vector<std::vector<Partner>>> partners_;  // by class and operation
  std::vector<Arrival> arrivals_;                            // by number and class
  std::vector<Arrival> met_;                                 // of the meeting that is looked at
};

class RankWalk {
 public:
  RankWalk(const PricedSchedule& priced, std::size_t own, const VirtualTimeOptions& options)
      : schedule_(priced.schedule), own_(own), prices_(priced.prices), options_(options) {
    ends_s_.reserve(prices_.size());
    durations_s_.reserve(prices_.size());
  }

  bool done() const { return ends_s_.size() == schedule_.operations.size(); }

  // Runs until a partner is missing. True when at least one operation was completed.
  bool advance(Meetings& meetings) {
    const std::size_t before = ends_s_.size();
    while (!done() && complete_next(meetings)) {
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
  bool complete_next(Meetings& meetings) {
    const std::size_t index = ends_s_.size();
    const Operation& operation = schedule_.operations[index];
    double start = ready_s(operation);
    // After what kernels wait for, ranks that met there go on together.
    bool goes_on_together = start > stream_end(Stream::compute) && !overlaps(operation);
    if (is_communication(operation)) {
      const std::optional<double> met_s =
          meetings.meet(own_, index, {.time_s = start, .spread_s = spread_s_});
      if (!met_s) return false;
      start = *met_s;
      goes_on_together = !overlaps(operation) && !meetings.is_alone(own_, index);
    }
    if (goes_on_together) spread_s_ = 0.0;
    finish(operation, start, seconds_of(prices_[index], options_.estimate));
    if (spreads()) spread_s_ += prices_[index].rank_spread_s;
    return true;
  }

  bool spreads() const { return options_.spreads && options_.estimate != Estimate::low; }

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
    if (!waits_for_others(operation, schedule_.rank)) own_s_ += seconds;
    ends_s_.push_back(end);
  }

  const Schedule& schedule_;
  std::size_t own_;  // class
  const std::vector<Price>& prices_;
  const VirtualTimeOptions& options_;
  std::array<double, 4> stream_end_s_{};
  double last_end_s_ = 0.0;
  double own_s_ = 0.0;     // kernels, loading, and copies that stay on the rank
  double spread_s_ = 0.0;  // of the kernels since it last waited: who is slow in one is in the next
  std::vector<double> ends_s_;
  std::vector<double> durations_s_;
};

}  // namespace

double overlap_of(const Plan& plan, const Platform& platform) {
  return plan.overlap ? platform.overlap_efficiency : 0.0;
}

std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options) {
  Meetings meetings(schedules, classes);
  std::vector<RankWalk> ranks;
  for (std::size_t i = 0; i < schedules.size(); ++i) ranks.emplace_back(schedules[i], i, options);
  const auto done = [](const RankWalk& rank) { return rank.done(); };
  while (!std::all_of(ranks.begin(), ranks.end(), done)) {
    bool progress = false;
    for (RankWalk& rank : ranks) progress = rank.advance(meetings) || progress;
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
