// Keeps arrivals by the number of a meeting's id and by class.
#include "planner/predict/meetings.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace cnnplan {
namespace {

constexpr double not_arrived = -1.0;
constexpr double never = -2.0;  // has no such operation

}  // namespace

Meetings::Meetings(std::span<const RankWork> work, const RankClasses& classes)
    : classes_(classes), class_count_(work.size()) {
  for (const RankWork& rank : work) add_numbers(rank);
  arrivals_.assign(class_count_ * ids_.size(), {.time_s = never});
  for (std::size_t i = 0; i < class_count_; ++i) expect(i);
  for (const RankWork& rank : work) add_parties(rank);
}

bool Meetings::is_alone(std::size_t own, std::size_t index) const {
  const Party& party = parties_[own][index];
  return party.size() == 1 && party.front().ranks == 1;
}

std::optional<double> Meetings::meet(std::size_t own, std::size_t index, const Arrival& arrival) {
  Arrival* const arrivals = &arrivals_[numbers_[own][index] * class_count_];
  arrivals[own] = arrival;
  met_.clear();
  for (const Members& members : parties_[own][index]) {
    const Arrival& there = arrivals[members.rank_class];
    if (there.time_s < 0.0) return std::nullopt;
    met_.push_back(there);
    met_.back().ranks = members.ranks;
  }
  return expected_latest_s(met_);
}

void Meetings::add_numbers(const RankWork& work) {
  std::vector<std::size_t>& numbers = numbers_.emplace_back();
  numbers.reserve(work.meetings.size());
  for (const Meeting& meeting : work.meetings) {
    const std::size_t next = ids_.size();
    numbers.push_back(ids_.try_emplace(meeting.id, next).first->second);
  }
}

void Meetings::expect(std::size_t own) {
  for (std::size_t number : numbers_[own]) {
    arrivals_[number * class_count_ + own].time_s = not_arrived;
  }
}

void Meetings::add_parties(const RankWork& work) {
  const std::size_t own = parties_.size();
  std::vector<Party>& parties = parties_.emplace_back();
  parties.reserve(work.meetings.size());
  for (std::size_t i = 0; i < work.meetings.size(); ++i) {
    Party party = party_of(work.meetings[i], work.rank);
    std::erase_if(party,
                  [&](const Members& members) { return is_absent(members, numbers_[own][i]); });
    parties.push_back(std::move(party));
  }
}

Meetings::Party Meetings::party_of(const Meeting& meeting, int rank) {
  const auto* group = std::get_if<RankGroup>(&meeting.ranks);
  if (group == nullptr) {
    std::vector<int> ranks = std::get<std::vector<int>>(meeting.ranks);
    std::erase(ranks, rank);
    ranks.push_back(rank);
    return by_class(ranks);
  }
  const auto [entry, is_new] = group_classes_.try_emplace(*group);
  if (is_new) entry->second = by_class(group->ranks());
  return entry->second;
}

Meetings::Party Meetings::by_class(const std::vector<int>& ranks) const {
  std::vector<int> classes;
  classes.reserve(ranks.size());
  for (int rank : ranks) classes.push_back(classes_.class_of(rank));
  std::sort(classes.begin(), classes.end());
  Party party;
  for (int rank_class : classes) {
    const bool is_new = party.empty() || party.back().rank_class != rank_class;
    if (is_new) party.push_back({.rank_class = rank_class, .ranks = 0});
    ++party.back().ranks;
  }
  return party;
}

// A class that stands for several ranks may lack an operation that some of these ranks have.
bool Meetings::is_absent(const Members& other, std::size_t number) const {
  const bool stands_for_several = classes_.sizes()[other.rank_class] > 1;
  return stands_for_several && arrivals_[number * class_count_ + other.rank_class].time_s == never;
}

}  // namespace cnnplan
