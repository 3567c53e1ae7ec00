// Lockstep simulation: every rank runs until it meets an operation whose partners are behind.
#include "planner/predict/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace cnnplan {
namespace {

double seconds_of(const Price& price, Estimate estimate) {
  if (estimate == Estimate::low) return price.low_s;
  return estimate == Estimate::high ? price.high_s : price.seconds;
}

// Which classes of ranks meet in which operations, and when each reached them.
class Meetings {
 public:
  Meetings(std::span<const RankWork> ranks, const RankClasses& classes)
      : classes_(classes), class_count_(ranks.size()) {
    for (const RankWork& work : ranks) add_numbers(work);
    times_s_.assign(class_count_ * ids_.size(), never);
    for (std::size_t i = 0; i < class_count_; ++i) expect(i);
    for (std::size_t i = 0; i < class_count_; ++i) add_partners(ranks[i], i);
  }

  // Says when `own` reached its meeting `index`. The time when all have; nothing when one has not.
  std::optional<double> meet(std::size_t own, std::size_t index, double time_s) {
    double* const times_s = &times_s_[numbers_[own][index] * class_count_];
    times_s[own] = time_s;
    for (int partner : partners_[own][index]) {
      const double arrival_s = times_s[partner];
      if (arrival_s < 0.0) return std::nullopt;
      time_s = std::max(time_s, arrival_s);
    }
    return time_s;
  }

 private:
  static constexpr double not_arrived = -1.0;
  static constexpr double never = -2.0;  // has no such operation

  void add_numbers(const RankWork& work) {
    std::vector<std::size_t>& numbers = numbers_.emplace_back();
    numbers.reserve(work.meetings.size());
    for (const Meeting& meeting : work.meetings) {
      const std::size_t next = ids_.size();
      numbers.push_back(ids_.try_emplace(meeting.id, next).first->second);
    }
  }

  void expect(std::size_t own) {
    for (std::size_t number : numbers_[own]) times_s_[number * class_count_ + own] = not_arrived;
  }

  void add_partners(const RankWork& work, std::size_t own) {
    std::vector<std::vector<int>>& partners = partners_.emplace_back();
    partners.reserve(work.meetings.size());
    for (std::size_t i = 0; i < work.meetings.size(); ++i) {
      std::vector<int> classes = classes_of(work.meetings[i]);
      std::erase_if(classes, [&](int other) { return is_absent(other, own, numbers_[own][i]); });
      partners.push_back(std::move(classes));
    }
  }

  // Of the ranks that a meeting waits for.
  std::vector<int> classes_of(const Meeting& meeting) {
    const auto* group = std::get_if<RankGroup>(&meeting.ranks);
    if (group == nullptr) return classes_of(std::get<std::vector<int>>(meeting.ranks));
    const auto [entry, is_new] = group_classes_.try_emplace(*group);
    if (is_new) entry->second = classes_of(group->ranks());
    return entry->second;
  }

  std::vector<int> classes_of(std::vector<int> ranks) const {
    for (int& rank : ranks) rank = classes_.class_of(rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  // A class that stands for several ranks may do without an operation that some of them have.
  bool is_absent(int other, std::size_t own, std::size_t number) const {
    const auto index = static_cast<std::size_t>(other);
    const bool stands_for_several = classes_.sizes()[index] > 1;
    return index == own || (stands_for_several && times_s_[number * class_count_ + index] == never);
  }

  const RankClasses& classes_;
  std::size_t class_count_;
  std::unordered_map<std::string_view, std::size_t> ids_;
  std::map<RankGroup, std::vector<int>> group_classes_;
  std::vector<std::vector<std::size_t>> numbers_;        // by class and meeting: number of its id
  std::vector<std::vector<std::vector<int>>> partners_;  // by class and meeting
  std::vector<double> times_s_;                          // by number and class
};

class RankWalk {
 public:
  RankWalk(const RankWork& work, std::size_t own, const VirtualTimeOptions& options)
      : work_(work), own_(own), options_(options) {
    ends_s_.reserve(work.size());
    durations_s_.reserve(work.size());
  }

  bool done() const { return ends_s_.size() == work_.size(); }

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
    const Meeting* const meeting = meeting_at(index);
    double start = ready_s(index, meeting);
    if (meeting != nullptr) {
      const std::optional<double> met_s = meetings.meet(own_, met_, start);
      if (!met_s) return false;
      start = *met_s;
      ++met_;
    }
    finish(index, meeting, start);
    return true;
  }

  // Null where the operation is no communication.
  const Meeting* meeting_at(std::size_t operation) const {
    const bool is_next =
        met_ < work_.meetings.size() && work_.meetings[met_].operation == operation;
    return is_next ? &work_.meetings[met_] : nullptr;
  }

  double& stream_end(Stream stream) { return stream_end_s_[static_cast<std::size_t>(stream)]; }

  bool overlaps(std::size_t operation, const Meeting* meeting) const {
    return options_.overlap > 0.0 && work_.streams[operation] != Stream::compute &&
           meeting != nullptr;
  }

  double ready_s(std::size_t operation, const Meeting* meeting) {
    const bool beside = overlaps(operation, meeting);
    double ready = stream_end(beside ? work_.streams[operation] : Stream::compute);
    for (OperationIndex index : work_.dependencies_of(operation)) {
      ready = std::max(ready, ends_s_[static_cast<std::size_t>(index)]);
    }
    return ready;
  }

  void finish(std::size_t operation, const Meeting* meeting, double start) {
    const double seconds = seconds_of(work_.prices[operation], options_.estimate);
    const double end = start + seconds;
    double& compute = stream_end(Stream::compute);
    const double previous = last_end_s_;
    if (overlaps(operation, meeting)) {
      stream_end(work_.streams[operation]) = end;
      compute += (1.0 - options_.overlap) * seconds;
      durations_s_.push_back(end - start);
    } else {
      compute = end;
      durations_s_.push_back(end - std::min(previous, end));
      last_end_s_ = end;
    }
    if (meeting == nullptr || !meeting->waits_for_others) own_s_ += seconds;
    ends_s_.push_back(end);
  }

  const RankWork& work_;
  std::size_t own_;  // class
  const VirtualTimeOptions& options_;
  std::size_t met_ = 0;  // meetings that are over
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

std::vector<RankTimeline> walk(std::span<const RankWork> work,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options) {
  Meetings meetings(work, classes);
  std::vector<RankWalk> ranks;
  for (std::size_t i = 0; i < work.size(); ++i) ranks.emplace_back(work[i], i, options);
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

std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options) {
  std::vector<RankWork> work;
  for (const PricedSchedule& priced : schedules) work.push_back(work_of(priced));
  return walk(work, classes, options);
}

double step_time_s(std::span<const RankTimeline> timelines) {
  double slowest = 0.0;
  for (const RankTimeline& timeline : timelines) slowest = std::max(slowest, timeline.end_s);
  return slowest;
}

}  // namespace cnnplan
