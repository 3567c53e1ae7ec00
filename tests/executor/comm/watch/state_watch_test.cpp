// Tests how old a wait or local work is.
#include "executor/comm/watch/state_watch.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

TEST_CASE("StateWatch: a wait ages from the look that first saw it") {
  WaitRecord record;
  StateWatch watch;
  CHECK(watch.state_of(record.view(), 5) == RankState{});
  record.begin("MPI_Wait", lasting(RankList{2}));
  CHECK(watch.state_of(record.view(), 6) ==
        RankState{.call = "MPI_Wait", .waits_for = {2}, .unchanged_s = 0});
  CHECK(watch.state_of(record.view(), 9).unchanged_s == 3);
  // Signs of other threads do not shorten it, but a new wait of the same kind does.
  record.give_sign();
  CHECK(watch.state_of(record.view(), 10).unchanged_s == 4);
  record.end();
  record.begin("MPI_Wait", lasting(RankList{2}));
  CHECK(watch.state_of(record.view(), 11).unchanged_s == 0);
}

TEST_CASE("StateWatch: the first fault of the device stays in the state") {
  WaitRecord record;
  StateWatch watch;
  const DeviceFault fault{.what = "NCCL: unhandled system error"};
  record.set_fault(fault);
  record.set_fault({.what = "NCCL: remote error", .is_elsewhere = true});
  CHECK(watch.state_of(record.view(), 5) == RankState{.fault = fault});
}

TEST_CASE("StateWatch: local work ages until the next sign of progress") {
  WaitRecord record;
  StateWatch watch;
  record.set_activity(lasting(std::string("conv1")));
  watch.state_of(record.view(), 1);
  CHECK(watch.state_of(record.view(), 8) == RankState{.activity = "conv1", .unchanged_s = 7});
  record.give_sign();
  CHECK(watch.state_of(record.view(), 9).unchanged_s == 0);
  CHECK(watch.state_of(record.view(), 11).unchanged_s == 2);
}

}  // namespace
}  // namespace cnnplan
