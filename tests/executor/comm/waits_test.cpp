// Tests that every call that blocks for another rank shows in the record of this process.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cpu_device.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/comm/message_link.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/point_to_point.hpp"
#include "executor/comm/ring.hpp"
#include "executor/comm/shared_memory.hpp"
#include "executor/comm/transfer.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/memory_units.hpp"

namespace cnnplan {
namespace {

// Lets rank 0 begin each call alone, until its record shows a wait.
class Stage {
 public:
  explicit Stage(const Communicator& world)
      : world_(world),
        memory_(SharedMemory::create(world, page_bytes)),
        shown_(new (memory_->data()) std::atomic<int>(0)) {
    world.barrier();
  }

  // Returns the ranks that rank 0 waited for in `call`, which all ranks make. The list is empty
  // where no wait was seen, and on other ranks.
  RankList peers_of_rank_0(const std::function<void()>& call) {
    ++calls_;
    if (world_.rank() != 0) {
      while (shown_->load() < calls_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      call();
      return {};
    }
    RankList peers;
    std::thread observer([&] {
      peers = observe();
      shown_->store(calls_);
    });
    call();
    observer.join();
    return peers;
  }

 private:
  static RankList observe() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      const WaitView view = own_record().view();
      if (view.is_waiting()) return *view.peers;
      std::this_thread::yield();
    }
    return {};
  }

  const Communicator& world_;
  std::unique_ptr<SharedMemory> memory_;
  std::atomic<int>* shown_;
  int calls_ = 0;
};

TEST_CASE("Wait: every blocking call names the ranks that it waits for") {
  const Communicator world = Communicator::world();
  if (world.size() != 2) return;
  const int other = 1 - world.rank();
  Stage stage(world);
  std::vector<float> values(1000, 1.0F);
  world.allreduce(values, AllreduceAlgorithm::ring);  // makes the link
  const auto link = make_message_link(world);
  std::vector<std::byte> sent(1 << 20);
  std::vector<std::byte> received(1 << 20);
  CpuDevice cpu;
  const Box box{{{{0, 1}, {0, 8}, {0, 1}, {0, 1}, {0, 1}}}};
  std::vector<float> from(8);
  std::vector<float> to(8);
  Transfer transfer(world,
                    {.device = &cpu,
                     .source = from.data(),
                     .source_box = box,
                     .destination = to.data(),
                     .destination_box = box,
                     .list = {.sends = {{other, box}}, .receives = {{other, box}}}});
  const RankList both{0, 1};
  const RankList peer{1};
  struct Row {
    std::string name;
    RankList peers;
    std::function<void()> call;
  };
  const auto sum = [&](AllreduceAlgorithm algorithm) {
    return [&, algorithm] { world.allreduce(values, algorithm); };
  };
  const std::vector<Row> rows{
      {"barrier", both, [&] { world.barrier(); }},
      {"maximum", both, [&] { world.maximum(1.0); }},
      {"gather", both, [&] { world.gather(std::string("text"), 0); }},
      {"broadcast", both, [&] { world.broadcast(std::string("text"), 1); }},
      {"group",
       both,
       [&] {
         Communicator::group(world, {0, 1});
       }},
      {"nodes", both, [&] { find_nodes(world); }},
      {"library", both, sum(AllreduceAlgorithm::library)},
      {"ring", peer, sum(AllreduceAlgorithm::ring)},
      {"rounds", {1, 1}, sum(AllreduceAlgorithm::recursive_doubling)},
      {"library reduce_scatter",
       both,
       [&] { world.reduce_scatter(std::span(values), AllreduceAlgorithm::library); }},
      {"library allgather",
       both,
       [&] { world.allgather(std::span(values), AllreduceAlgorithm::library); }},
      {"ring of messages",
       peer,
       [&] {
         ring_collective(CollectiveKind::allreduce, std::span(values), *link, world.rank(), 2);
       }},
      {"send",
       peer,
       [&] { world.rank() == 0 ? send(world, sent, 1) : receive(world, received, 0); }},
      {"receive",
       peer,
       [&] { world.rank() == 0 ? receive(world, received, 1) : send(world, sent, 0); }},
      {"exchange", peer, [&] { PairExchange(world, sent, received, other).wait(); }},
      {"transfer", peer, [&] { transfer.run(); }}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const RankList peers = stage.peers_of_rank_0(row.call);
    if (world.rank() == 0) CHECK(peers == row.peers);
    CHECK(!own_record().view().is_waiting());
  }
}

TEST_CASE("members_of: names the ranks of the whole program") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  CHECK(members_of(self) == RankList{world.rank()});
  CHECK(std::ssize(members_of(world)) == world.size());
}

}  // namespace
}  // namespace cnnplan
