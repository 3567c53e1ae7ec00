// Tests that a reader sees parts of the record that belong together, and what changes in it.
#include "executor/comm/watch/wait_record.hpp"

#include <array>
#include <atomic>
#include <string>
#include <thread>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

TEST_CASE("lasting: equal values are kept once") {
  CHECK(&lasting(RankList{1, 2}) == &lasting(RankList{1, 2}));
  CHECK(lasting(RankList{1, 2}) == RankList{1, 2});
  CHECK(&lasting(std::string("conv1")) == &lasting(std::string("conv1")));
  CHECK(&lasting(RankList{1}) != &lasting(RankList{2}));
}

TEST_CASE("WaitRecord: says what the rank waits for, until the wait ends") {
  WaitRecord record;
  CHECK(!record.view().is_waiting());
  const std::uint64_t before = record.view().changes;
  const RankList& peers = lasting(RankList{3});
  record.begin("MPI_Wait", peers);
  CHECK(std::string(record.view().call) == "MPI_Wait");
  CHECK(record.view().peers == &peers);
  CHECK(record.view().changes != before);
  record.end();
  CHECK(!record.view().is_waiting());
  CHECK(record.view().peers == nullptr);
}

TEST_CASE("WaitRecord: an activity and a sign of progress change the signs, and not the wait") {
  WaitRecord record;
  const WaitView before = record.view();
  record.set_activity(lasting(std::string("conv1/forward")));
  CHECK(*record.view().activity == "conv1/forward");
  CHECK(record.view().signs != before.signs);
  const std::uint64_t signs = record.view().signs;
  record.give_sign();
  CHECK(record.view().signs != signs);
  CHECK(record.view().changes == before.changes);
}

TEST_CASE("WaitRecord: adds up the ranks that the device may wait for") {
  WaitRecord record;
  CHECK(record.device_peers() == nullptr);
  record.add_device_peers(RankList{2, 5});
  record.add_device_peers(RankList{0, 2});
  CHECK(*record.device_peers() == RankList{0, 2, 5});
}

TEST_CASE("Activity: the previous activity returns") {
  const Activity outer("outer");
  {
    const Activity inner("inner");
    CHECK(*own_record().view().activity == "inner");
  }
  CHECK(*own_record().view().activity == "outer");
}

TEST_CASE("Wait: the record of the process shows it as long as it lives") {
  {
    const Wait wait("MPI_Barrier", lasting(RankList{0}));
    CHECK(own_record().view().is_waiting());
  }
  CHECK(!own_record().view().is_waiting());
  const DeviceWait no_wait;  // the device exchanges nothing with other ranks
  CHECK(!own_record().view().is_waiting());
}

// Each call belongs to one list of ranks. A view that mixes two waits shows a wrong pair.
TEST_CASE("WaitRecord: a view is consistent while another thread writes") {
  constexpr int views = 20'000'000;
  constexpr std::array calls{"MPI_Wait", "MPI_Bcast", "MPI_Recv"};
  std::array<const RankList*, 3> lists{};
  for (int i = 0; i < 3; ++i) lists[i] = &lasting(RankList{i});
  WaitRecord record;
  std::atomic<bool> ends = false;
  std::thread writer([&] {
    for (std::size_t i = 0; !ends; i = (i + 1) % calls.size()) {
      record.begin(calls[i], *lists[i]);
      if (i == 1) record.end();
    }
  });
  int wrong = 0;
  int waiting = 0;
  for (int i = 0; i < views || waiting == 0; ++i) {
    const WaitView view = record.view();
    if (!view.is_waiting()) {
      wrong += view.peers != nullptr ? 1 : 0;
      continue;
    }
    ++waiting;
    const int place = view.peers == nullptr ? -1 : view.peers->front();
    if (place < 0 || view.call != calls[place]) ++wrong;
  }
  ends = true;
  writer.join();
  CHECK(wrong == 0);
  CHECK(waiting > 0);
}

// From here on, the record of this process says that its device waits for rank 5.
TEST_CASE("DeviceWait: is a wait for ranks once the device exchanges messages with them") {
  own_record().add_device_peers(RankList{5});
  {
    const DeviceWait wait;
    CHECK(own_record().view().is_waiting());
    CHECK(*own_record().view().peers == RankList{5});
  }
  CHECK(!own_record().view().is_waiting());
}

}  // namespace
}  // namespace cnnplan
