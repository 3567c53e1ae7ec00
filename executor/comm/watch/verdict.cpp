// Walks over the graph of ranks that wait for each other.
#include "executor/comm/watch/verdict.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace cnnplan {
namespace {

class Graph {
 public:
  Graph(const RankReports& reports, const WaitLimits& limits)
      : reports_(reports), limits_(limits) {}

  // Returns the ranks that wait for longer than the limit, the longest wait first.
  RankList overdue() const {
    RankList ranks;
    for (int rank = 0; rank < std::ssize(reports_); ++rank) {
      if (waits(rank) && is_too_long(rank)) ranks.push_back(rank);
    }
    std::ranges::stable_sort(ranks, std::greater(), [&](int rank) { return unchanged_s(rank); });
    return ranks;
  }

  // A rank whose fault is elsewhere is no culprit. It waits for a verdict on the other rank.
  WaitVerdict verdict_of_faults() const {
    RankList failed;
    RankList lost;
    for (int rank = 0; rank < std::ssize(reports_); ++rank) {
      if (has_fault(rank)) {
        failed.push_back(rank);
      } else if (is_silent(rank)) {
        lost.push_back(rank);
      }
    }
    if (failed.empty()) return {};
    const int first = *std::ranges::min_element(
        failed, {}, [&](int rank) { return reports_[rank].state->fault->is_elsewhere; });
    if (!lost.empty()) return {Fault::silent, lost.front(), first};
    const auto has_answered = [](const RankReport& report) { return report.state.has_value(); };
    const bool is_own = !reports_[first].state->fault->is_elsewhere;
    if (!is_own || !std::ranges::all_of(reports_, has_answered)) return {};
    return {Fault::failed, first, first};
  }

  WaitVerdict verdict_of(int waiter) const {
    const RankList ranks = reachable_from(waiter);
    const auto silent = std::ranges::find_if(ranks, [&](int rank) { return is_silent(rank); });
    if (silent != ranks.end()) return {Fault::silent, *silent, waiter};
    const auto works = [&](int rank) { return !waits(rank); };
    const auto longest = [&](const RankList& of) {
      return *std::ranges::max_element(of, {}, [&](int rank) { return unchanged_s(rank); });
    };
    RankList working;
    std::ranges::copy_if(ranks, std::back_inserter(working), works);
    if (!working.empty()) {
      const int rank = longest(working);
      return is_too_long(rank) ? WaitVerdict{Fault::stuck, rank, waiter} : WaitVerdict{};
    }
    const auto is_settled = [&](int rank) { return is_too_long(rank); };
    if (!std::ranges::all_of(ranks, is_settled)) return {};
    return {Fault::deadlock, longest(ranks), waiter};
  }

 private:
  double unchanged_s(int rank) const { return reports_[rank].unchanged_s(); }
  bool is_too_long(int rank) const { return unchanged_s(rank) >= limits_.wait_s; }
  bool is_silent(int rank) const { return reports_[rank].silent_s >= limits_.silent_s; }
  bool has_fault(int rank) const {
    return reports_[rank].state && reports_[rank].state->fault.has_value();
  }
  bool waits(int rank) const {
    return !is_silent(rank) && reports_[rank].state && reports_[rank].state->is_waiting();
  }

  // Returns the rank itself and all ranks that it waits for, directly or through others.
  RankList reachable_from(int first) const {
    std::vector<bool> seen(reports_.size());
    RankList open{first};
    while (!open.empty()) {
      const int rank = open.back();
      open.pop_back();
      if (rank < 0 || rank >= std::ssize(reports_) || seen[rank]) continue;
      seen[rank] = true;
      if (!waits(rank)) continue;
      const RankList& next = reports_[rank].state->waits_for;
      open.insert(open.end(), next.begin(), next.end());
    }
    RankList ranks;
    for (int rank = 0; rank < std::ssize(reports_); ++rank) {
      if (seen[rank]) ranks.push_back(rank);
    }
    return ranks;
  }

  const RankReports& reports_;
  WaitLimits limits_;
};

}  // namespace

WaitVerdict judge(const RankReports& reports, const WaitLimits& limits) {
  const Graph graph(reports, limits);
  const WaitVerdict of_faults = graph.verdict_of_faults();
  if (of_faults.fault != Fault::none) return of_faults;
  for (const int waiter : graph.overdue()) {
    const WaitVerdict verdict = graph.verdict_of(waiter);
    if (verdict.fault != Fault::none) return verdict;
  }
  return {};
}

}  // namespace cnnplan
