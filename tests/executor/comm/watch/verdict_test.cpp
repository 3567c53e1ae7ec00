// Tests which rank is named as the first culprit, on tables of states.
#include "executor/comm/watch/verdict.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr WaitLimits limits{.wait_s = 10, .silent_s = 3};

RankReport waits(const RankList& ranks, double seconds, double silent_s = 0) {
  return {.state = RankState{.call = "MPI_Wait", .waits_for = ranks, .unchanged_s = seconds},
          .silent_s = silent_s};
}

RankReport works(double seconds, double silent_s = 0) {
  return {.state = RankState{.activity = "conv1", .unchanged_s = seconds}, .silent_s = silent_s};
}

RankReport never_answered(double silent_s) {
  return {.state = {}, .silent_s = silent_s};
}

RankReport fails(bool is_elsewhere) {
  RankReport report = works(0);
  report.state->fault = DeviceFault{.what = "NCCL: error", .is_elsewhere = is_elsewhere};
  return report;
}

TEST_CASE("judge: a rank whose device cannot communicate is the culprit once all have answered") {
  CHECK(judge({works(0), fails(false)}, limits) == WaitVerdict{Fault::failed, 1, 1});
  CHECK(judge({works(0), fails(false), never_answered(0)}, limits) == WaitVerdict{});
  // A rank that only lost the connection to another one is not to blame. The other one may be about
  // to say what is wrong.
  CHECK(judge({fails(true), works(0)}, limits) == WaitVerdict{});
  CHECK(judge({fails(true), waits({1}, 1), fails(false)}, limits) ==
        WaitVerdict{Fault::failed, 2, 2});
}

TEST_CASE("judge: a silent rank explains the fault of another one") {
  CHECK(judge({fails(true), never_answered(3)}, limits) == WaitVerdict{Fault::silent, 1, 0});
  CHECK(judge({fails(true), works(0, 2.9)}, limits) == WaitVerdict{});
  // The rank with the fault may have ended since.
  RankReport ended = fails(false);
  ended.silent_s = 9;
  CHECK(judge({fails(true), ended}, limits) == WaitVerdict{Fault::failed, 1, 1});
}

TEST_CASE("judge: nobody is lost while waits are short") {
  CHECK(judge({works(0), works(0)}, limits) == WaitVerdict{});
  CHECK(judge({waits({1}, 9.9), works(0)}, limits) == WaitVerdict{});
  CHECK(judge({waits({1}, 9.9), never_answered(9)}, limits) == WaitVerdict{});
  CHECK(judge({}, limits) == WaitVerdict{});
}

TEST_CASE("judge: a silent rank that others wait for is the culprit") {
  const WaitVerdict expected{Fault::silent, 1, 0};
  CHECK(judge({waits({1}, 10), never_answered(7)}, limits) == expected);
  // What it did when it last answered does not matter.
  CHECK(judge({waits({1}, 10), waits({0}, 2, 7)}, limits) == expected);
  CHECK(judge({waits({1}, 10), works(2, 7)}, limits) == expected);
}

TEST_CASE("judge: a rank that has not answered for a moment is not lost yet") {
  CHECK(judge({waits({1}, 10), works(0, 2.9)}, limits) == WaitVerdict{});
  CHECK(judge({waits({1}, 10), never_answered(2.9)}, limits) == WaitVerdict{});
}

TEST_CASE("judge: follows chains of waits to the rank that waits for nobody") {
  // 0 waits for 1, 1 for 2, 2 for 3; only rank 0 has waited for too long.
  const RankReports chain{waits({1}, 12), waits({2}, 9), waits({3}, 8), never_answered(8)};
  CHECK(judge(chain, limits) == WaitVerdict{Fault::silent, 3, 0});
  // The longest wait is followed first, and a silent rank that nobody waits for does not count.
  const RankReports two{waits({2}, 11), waits({3}, 15), works(12), works(13), never_answered(9)};
  CHECK(judge(two, limits) == WaitVerdict{Fault::stuck, 3, 1});
}

TEST_CASE("judge: a rank that computes and gets on is no culprit, whoever waits for it") {
  CHECK(judge({waits({1}, 500), works(9)}, limits) == WaitVerdict{});
  CHECK(judge({waits({1}, 500), waits({2}, 400), works(0)}, limits) == WaitVerdict{});
  // One chain ends at a rank that gets on; another one does not.
  CHECK(judge({waits({1}, 500), works(0), waits({3}, 12), works(12)}, limits) ==
        WaitVerdict{Fault::stuck, 3, 2});
}

TEST_CASE("judge: a rank without progress is the culprit, the oldest one first") {
  CHECK(judge({waits({1, 2}, 30), works(11), works(20)}, limits) ==
        WaitVerdict{Fault::stuck, 2, 0});
  // A silent rank explains more than a rank without progress.
  CHECK(judge({waits({1, 2}, 30), works(11), never_answered(4)}, limits) ==
        WaitVerdict{Fault::silent, 2, 0});
}

TEST_CASE("judge: ranks that wait for each other are a deadlock when all have waited long") {
  CHECK(judge({waits({1}, 12), waits({0}, 11)}, limits) == WaitVerdict{Fault::deadlock, 0, 0});
  CHECK(judge({waits({1}, 12), waits({0}, 9)}, limits) == WaitVerdict{});
  // A collective lists this rank, too.
  CHECK(judge({waits({0, 1, 2}, 12), waits({0, 1, 2}, 11), waits({0, 1}, 15)}, limits) ==
        WaitVerdict{Fault::deadlock, 2, 2});
  CHECK(judge({waits({0, 1}, 12), works(0)}, limits) == WaitVerdict{});
}

TEST_CASE("judge: ranks out of range are left out, since messages may be wrong") {
  CHECK(judge({waits({7, -1}, 12), works(0)}, limits) == WaitVerdict{Fault::deadlock, 0, 0});
}

}  // namespace
}  // namespace cnnplan
