// Runs the steps of an inquiry: find the reporter, ask all ranks, judge.
#include "executor/comm/watch/inquiry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cnnplan {
namespace {

// Without a limit, only faults of devices end the program. A rank that does not answer after one is
// then lost as soon as with the default limit.
double silent_limit_s(double limit_s) {
  constexpr double without_limit_s = 40.0;
  return std::isinf(limit_s) ? without_limit_s : std::max(1.0, limit_s / 3);
}

}  // namespace

InquiryTimes::InquiryTimes(double limit_s)
    : look_s(std::clamp(limit_s / 40, 0.02, 0.25)),
      begin_s(limit_s / 4),
      round_s(std::clamp(limit_s / 40, 0.1, 1.0)),
      word_s(std::clamp(limit_s / 6, 0.5, 5.0)),
      warning{.wait_s = limit_s / 3, .silent_s = limit_s / 12},
      end{.wait_s = limit_s, .silent_s = silent_limit_s(limit_s)} {}

Inquiry::Inquiry(int rank, int ranks, double limit_s)
    : rank_(rank), times_(limit_s), heard_(ranks) {}

Inquiry::Outgoing Inquiry::state_to(int rank, const RankState& own) const {
  return {rank, {.kind = WatchMessage::Kind::state, .from = rank_, .state = own}};
}

std::vector<Inquiry::Outgoing> Inquiry::receive(const WatchMessage& message,
                                                const RankState& own,
                                                double now_s) {
  if (message.from < 0 || message.from >= std::ssize(heard_)) return {};
  if (message.kind == WatchMessage::Kind::state) {
    heard_[message.from] = {.state = message.state, .at_s = now_s};
    if (needs_reporter(message.state)) asked_s_ = now_s;
    return {};
  }
  if (message.kind != WatchMessage::Kind::query) return {};
  const bool is_lowest = !reporter_ || message.from <= reporter_->first || !follows_other(now_s);
  if (message.from < rank_ && is_lowest) reporter_ = {message.from, now_s};
  return {state_to(message.from, own)};
}

bool Inquiry::needs_reporter(const RankState& state) const {
  return state.fault || (state.is_waiting() && state.unchanged_s >= times_.begin_s);
}

bool Inquiry::follows_other(double now_s) const {
  return reporter_ && now_s - reporter_->second <= times_.word_s;
}

void Inquiry::close() {
  begun_s_.reset();
  reports_since_s_.reset();
  has_warned_ = false;
}

Inquiry::Step Inquiry::step(const RankState& own, double now_s) {
  const bool needs = needs_reporter(own);
  const bool is_asked = asked_s_ && now_s - *asked_s_ <= times_.word_s;
  if (!needs && !is_asked) {
    close();
    return {};
  }
  if (follows_other(now_s)) {
    close();
    if (!needs) return {};
    return {.messages = {state_to(reporter_->first, own)}};
  }
  if (!begun_s_) begun_s_ = now_s;
  if (!is_reporter()) {
    std::vector<Outgoing> messages = to_candidates(own, now_s);
    if (!is_reporter()) return {.messages = std::move(messages)};
  }
  return report(own, now_s);
}

// Tells 1, 2, 4, 8, ... of the lowest ranks, until it is this rank's turn.
std::vector<Inquiry::Outgoing> Inquiry::to_candidates(const RankState& own, double now_s) {
  constexpr std::int64_t most_rounds = 30;
  const auto rounds = std::lround(std::floor((now_s - *begun_s_) / times_.round_s));
  const std::int64_t reach = std::int64_t{1} << std::min<std::int64_t>(rounds, most_rounds);
  if (reach > rank_) {
    reports_since_s_ = now_s;
    return {};
  }
  std::vector<Outgoing> messages;
  for (int rank = 0; rank < reach; ++rank) messages.push_back(state_to(rank, own));
  return messages;
}

RankReports Inquiry::reports(const RankState& own, double now_s) const {
  RankReports known;
  for (const Heard& heard : heard_) {
    const double since = std::max(heard.at_s, reports_since_s_.value_or(0.0));
    const bool is_old = heard.at_s < reports_since_s_.value_or(0.0);
    known.push_back({.state = is_old ? std::nullopt : heard.state, .silent_s = now_s - since});
  }
  known[rank_] = {.state = own, .silent_s = 0};
  return known;
}

Inquiry::Step Inquiry::report(const RankState& own, double now_s) {
  Step step;
  for (int rank = 0; rank < std::ssize(heard_); ++rank) {
    if (rank == rank_) continue;
    step.messages.push_back({rank, {.kind = WatchMessage::Kind::query, .from = rank_}});
  }
  const RankReports known = reports(own, now_s);
  const WaitVerdict end = judge(known, times_.end);
  if (end.fault != Fault::none) step.end = end;
  const WaitVerdict warning = judge(known, times_.warning);
  if (warning.fault != Fault::none && !step.end && !has_warned_) {
    step.warning = warning;
    has_warned_ = true;
  }
  return step;
}

}  // namespace cnnplan
