// Runs the inquiries of many ranks in one process, with a network and a clock of the test.
#include "executor/comm/watch/inquiry.hpp"

#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr double limit_s = 12;

// All ranks that live wait for the lost ranks in a barrier, unless the test says otherwise.
class Program {
 public:
  Program(int ranks, std::set<int> lost, double limit = limit_s)
      : lost_(std::move(lost)), states_(ranks) {
    RankList all(ranks);
    std::iota(all.begin(), all.end(), 0);
    for (int rank = 0; rank < ranks; ++rank) {
      inquiries_.emplace_back(rank, ranks, limit);
      states_[rank] = {.call = "MPI_Barrier", .waits_for = all};
    }
  }

  RankState& state(int rank) { return states_[rank]; }
  void lose(int rank) { lost_.insert(rank); }
  void resume(int rank) { lost_.erase(rank); }

  // Runs until the time, or until a rank ends all.
  void run_until(double end_s) {
    while (now_s_ < end_s && !ended_by) {
      now_s_ += inquiries_.front().times().look_s;
      for (int rank = 0; rank < std::ssize(states_); ++rank) {
        states_[rank].unchanged_s += inquiries_.front().times().look_s;
      }
      for (int rank = 0; rank < std::ssize(states_); ++rank) {
        if (!lost_.contains(rank)) step(rank);
      }
    }
  }
  double now_s() const { return now_s_; }
  std::optional<WaitVerdict> end;
  std::optional<int> ended_by;
  std::vector<int> warned_by;
  std::vector<WaitVerdict> warnings;
  int messages = 0;

 private:
  void step(int rank) {
    const Inquiry::Step step = inquiries_[rank].step(states_[rank], now_s_);
    deliver(rank, step.messages);
    if (step.warning) {
      warned_by.push_back(rank);
      warnings.push_back(*step.warning);
    }
    if (!step.end) return;
    end = step.end;
    ended_by = rank;
  }

  void deliver(int from, const std::vector<Inquiry::Outgoing>& sent) {
    for (const auto& [to, message] : sent) {
      ++messages;
      CHECK(message.from == from);
      if (lost_.contains(to) || message.kind == WatchMessage::Kind::end) continue;
      deliver(to, inquiries_[to].receive(message, states_[to], now_s_));
    }
  }

  std::set<int> lost_;
  std::vector<RankState> states_;
  std::vector<Inquiry> inquiries_;
  double now_s_ = 0;
};

TEST_CASE("Inquiry: nobody sends a message while waits are short") {
  Program program(8, {});
  program.run_until(limit_s / 5);
  CHECK(program.messages == 0);
}

TEST_CASE("Inquiry: a fault of a device ends all ranks long before the limit") {
  for (const int failing : {0, 3}) {
    Program program(8, {});
    program.state(failing).fault = DeviceFault{.what = "NCCL: error"};
    program.run_until(limit_s);
    REQUIRE(program.end);
    CHECK(*program.end == WaitVerdict{Fault::failed, failing, failing});
    CHECK(program.ended_by == 0);
    CHECK(program.warnings.empty());
    CHECK(program.now_s() < 0.2 * limit_s);
  }
}

TEST_CASE("Inquiry: without a limit, a fault of a device still ends all ranks, and no wait does") {
  Program program(8, {}, std::numeric_limits<double>::infinity());
  program.run_until(1000);
  CHECK(program.messages == 0);
  program.state(3).fault = DeviceFault{.what = "NCCL: error"};
  program.run_until(1010);
  REQUIRE(program.end);
  CHECK(*program.end == WaitVerdict{Fault::failed, 3, 3});
  CHECK(program.warnings.empty());
}

TEST_CASE("Inquiry: after a fault, a rank that is lost is the culprit") {
  Program program(4, {2});
  program.state(1).fault = DeviceFault{.what = "NCCL: remote error", .is_elsewhere = true};
  program.run_until(2 * limit_s);
  REQUIRE(program.end);
  CHECK(program.end->fault == Fault::silent);
  CHECK(program.end->culprit == 2);
  CHECK(program.now_s() < limit_s);
}

TEST_CASE("Inquiry: without a limit, a rank that is lost after a fault ends all ranks, too") {
  Program program(4, {2}, std::numeric_limits<double>::infinity());
  program.run_until(100);
  CHECK(!program.end);
  program.state(1).fault = DeviceFault{.what = "NCCL: remote error", .is_elsewhere = true};
  program.run_until(200);
  REQUIRE(program.end);
  CHECK(program.end->fault == Fault::silent);
  CHECK(program.end->culprit == 2);
  CHECK(program.warnings.empty());
}

TEST_CASE("Inquiry: rank 0 warns once at a third of the limit, and ends at the limit") {
  Program program(8, {5});
  program.run_until(0.4 * limit_s);
  CHECK(program.warned_by == std::vector<int>{0});
  CHECK(program.warnings.at(0).culprit == 5);
  CHECK(!program.end);
  program.run_until(3 * limit_s);
  CHECK(program.warned_by.size() == 1);
  REQUIRE(program.end);
  CHECK(program.end->fault == Fault::silent);
  CHECK(program.end->culprit == 5);
  CHECK(program.ended_by == 0);
  CHECK(program.now_s() >= limit_s);
  CHECK(program.now_s() < 1.1 * limit_s);
}

TEST_CASE("Inquiry: the lowest rank that lives takes the place of lost ones") {
  for (const int lost : {1, 2, 3, 5, 7}) {
    CAPTURE(lost);
    std::set<int> ranks;
    for (int rank = 0; rank < lost; ++rank) ranks.insert(rank);
    Program program(8, ranks);
    program.run_until(3 * limit_s);
    REQUIRE(program.end);
    CHECK(program.ended_by == lost);
    CHECK(program.end->culprit == 0);
    CHECK(program.now_s() < 1.1 * limit_s);
  }
}

TEST_CASE("Inquiry: a reporter that is lost in the middle is replaced") {
  Program program(6, {4});
  program.run_until(limit_s / 2);
  program.lose(0);
  program.run_until(3 * limit_s);
  REQUIRE(program.end);
  CHECK(program.ended_by == 1);
  CHECK(program.now_s() < 1.5 * limit_s);
}

TEST_CASE("Inquiry: a rank that comes back in time ends nothing") {
  Program program(6, {0});
  program.run_until(0.9 * limit_s);
  program.resume(0);
  for (int rank = 0; rank < 6; ++rank) program.state(rank).unchanged_s = 0;
  program.run_until(program.now_s() + limit_s / 5);
  CHECK(!program.end);
  const int before = program.messages;
  program.run_until(program.now_s() + 0.01);
  CHECK(program.messages == before);
}

TEST_CASE("Inquiry: ranks that wait for one that gets on go on for ever") {
  Program program(4, {});
  program.state(2) = {.activity = "conv1"};
  for (int i = 0; i < 20; ++i) {
    program.state(2).unchanged_s = 0;
    program.run_until(program.now_s() + limit_s / 4);
  }
  CHECK(!program.end);
  CHECK(program.warned_by.empty());
  // Then it gets stuck.
  program.run_until(program.now_s() + 2 * limit_s);
  REQUIRE(program.end);
  CHECK(*program.end == WaitVerdict{Fault::stuck, 2, 0});
}

TEST_CASE("Inquiry: one rank that waits is enough, though the reporter works") {
  Program program(4, {3});
  for (const int rank : {0, 1}) program.state(rank) = {.activity = "conv1"};
  program.state(2).waits_for = {3};
  for (int i = 0; i < 40 && !program.end; ++i) {
    for (const int rank : {0, 1}) program.state(rank).unchanged_s = 0;
    program.run_until(program.now_s() + limit_s / 20);
  }
  REQUIRE(program.end);
  CHECK(program.ended_by == 0);
  CHECK(*program.end == WaitVerdict{Fault::silent, 3, 2});
}

TEST_CASE("Inquiry: a thousand ranks need few messages") {
  constexpr int ranks = 1000;
  Program program(ranks, {999});
  program.run_until(3 * limit_s);
  REQUIRE(program.end);
  CHECK(program.end->culprit == 999);
  // A query, a state and a report of each rank in each look, from a quarter of the limit on.
  const double looks = limit_s / InquiryTimes(limit_s).look_s;
  CHECK(program.messages < 4 * ranks * looks);
}

TEST_CASE("Inquiry: answers to an earlier inquiry do not count") {
  Inquiry inquiry(0, 2, limit_s);
  const RankState own{.call = "MPI_Wait", .waits_for = {1}, .unchanged_s = limit_s / 2};
  const WatchMessage answer{.kind = WatchMessage::Kind::state, .from = 1, .state = own};
  inquiry.receive(answer, own, 1);
  inquiry.step(own, 100);
  CHECK(!inquiry.reports(own, 101).at(1).state);
  CHECK(inquiry.reports(own, 101).at(1).silent_s == 1);
  inquiry.receive(answer, own, 102);
  CHECK(inquiry.reports(own, 103).at(1).state == own);
}

TEST_CASE("Inquiry: messages of ranks out of range are ignored") {
  Inquiry inquiry(0, 2, limit_s);
  CHECK(inquiry.receive({.kind = WatchMessage::Kind::query, .from = 7}, {}, 1).empty());
  CHECK(inquiry.receive({.kind = WatchMessage::Kind::state, .from = -1}, {}, 1).empty());
}

}  // namespace
}  // namespace cnnplan
