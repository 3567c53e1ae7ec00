// Keeps arrivals by the number of a meeting's id and by class.
#include "planner/predict/meetings.hpp"

#include <algorithm>
#include <variant>

namespace cnnplan {
namespace {

constexpr double not_arrived = -1.0;

}  // namespace

Meetings::Meetings(std::span<const RankWork> work, const RankClasses& classes)
    : classes_(classes), class_count_(work.size()) {
  for (const RankWork& rank : work) add_numbers(rank);
  for (const RankWork& rank : work) is_left_out_.push_back(rank.size() == 0);
  mark_meetings();
  for (const RankWork& rank : work) add_parties(rank);
}

Meetings::Party Meetings::party(std::size_t own, std::size_t index) const {
  const Place& place = places_[own][index];
  return Party(members_).subspan(place.begin, place.end - place.begin);
}

bool Meetings::is_alone(std::size_t own, std::size_t index) const {
  const Party members = party(own, index);
  return members.size() == 1 && members.front().ranks == 1;
}

void Meetings::add_numbers(const RankWork& work) {
  std::vector<std::size_t>& numbers = numbers_.emplace_back();
  numbers.reserve(work.meetings.size());
  for (const Meeting& meeting : work.meetings) {
    const std::size_t next = ids_.size();
    numbers.push_back(ids_.try_emplace(meeting.id, next).first->second);
  }
}

void Meetings::mark_meetings() {
  has_meeting_.assign(class_count_ * ids_.size(), false);
  for (std::size_t own = 0; own < class_count_; ++own) {
    for (const std::size_t number : numbers_[own]) {
      has_meeting_[number * class_count_ + own] = true;
    }
  }
}

void Meetings::add_parties(const RankWork& work) {
  const std::size_t own = places_.size();
  std::vector<Place>& places = places_.emplace_back();
  places.reserve(work.meetings.size());
  for (std::size_t i = 0; i < work.meetings.size(); ++i) {
    const std::size_t begin = members_.size();
    append_party(work.meetings[i], work.rank);
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto is_absent_here = [&](const ClassMembers& members) {
      return is_absent(members, numbers_[own][i]);
    };
    members_.erase(std::remove_if(first, members_.end(), is_absent_here), members_.end());
    places.push_back({.begin = begin, .end = members_.size()});
  }
}

void Meetings::append_party(const Meeting& meeting, int rank) {
  const auto append = [this](const std::vector<ClassMembers>& party) {
    members_.insert(members_.end(), party.begin(), party.end());
  };
  if (const auto* group = std::get_if<RankGroup>(&meeting.ranks)) {
    append(classes_of(*group));
    return;
  }
  std::vector<int> ranks = std::get<std::vector<int>>(meeting.ranks);
  std::erase(ranks, rank);
  ranks.push_back(rank);
  append(by_class(ranks));
}

const std::vector<ClassMembers>& Meetings::classes_of(const RankGroup& group) {
  const auto [entry, is_new] = group_classes_.try_emplace(group);
  if (is_new) entry->second = by_class(group.ranks());
  return entry->second;
}

std::vector<ClassMembers> Meetings::by_class(std::span<const int> ranks) {
  sorted_classes_.clear();
  for (const int rank : ranks) sorted_classes_.push_back(classes_.class_of(rank));
  std::sort(sorted_classes_.begin(), sorted_classes_.end());
  std::vector<ClassMembers> party;
  for (const int rank_class : sorted_classes_) {
    const bool is_new = party.empty() || party.back().rank_class != rank_class;
    if (is_new) party.push_back({.rank_class = rank_class, .ranks = 0});
    ++party.back().ranks;
  }
  return party;
}

// A class that stands for several ranks may lack an operation that some of these ranks have.
bool Meetings::is_absent(const ClassMembers& other, std::size_t number) const {
  if (is_left_out_[other.rank_class]) return true;
  const bool stands_for_several = classes_.sizes()[other.rank_class] > 1;
  return stands_for_several && !has_meeting_[number * class_count_ + other.rank_class];
}

Arrivals::Arrivals(const Meetings& meetings)
    : meetings_(meetings),
      arrivals_(meetings.class_count() * meetings.id_count(), {.time_s = not_arrived}) {}

std::optional<double> Arrivals::meet(std::size_t own, std::size_t index, const Arrival& arrival) {
  Arrival* const arrivals = &arrivals_[meetings_.number(own, index) * meetings_.class_count()];
  arrivals[own] = arrival;
  met_.clear();
  for (const ClassMembers& members : meetings_.party(own, index)) {
    const Arrival& there = arrivals[members.rank_class];
    if (there.time_s < 0.0) return std::nullopt;
    met_.push_back(there);
    met_.back().ranks = members.ranks;
  }
  return expected_latest_s(met_);
}

}  // namespace cnnplan
