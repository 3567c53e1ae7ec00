// Links every rank to its right neighbour by a queue of slots in shared memory.
#include "executor/comm/shared_link.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include <sched.h>
#include <unistd.h>

#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/shared_memory.hpp"
#include "executor/comm/store_choice.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/memory_units.hpp"
#include "planner/platform/chunk_sizes.hpp"

namespace cnnplan {
namespace {

constexpr int shared_chunks_in_flight = 4;
constexpr std::uint64_t slot_count = std::uint64_t{2} * shared_chunks_in_flight;

// Shorter passes measure latency instead of bandwidth, and do not show which store is faster.
constexpr std::size_t least_timed_bytes = std::size_t{256} << 10;
// Fewer bytes reach the neighbour sooner through the caches.
constexpr std::size_t least_streamed_bytes = page_bytes;

using Clock = std::chrono::steady_clock;

// This number of spins takes about 10 microseconds.
constexpr int spins_between_progress = 500;
// A rank that waits longer yields its core: soon where ranks share cores, else after some
// milliseconds. It gets the core back only after another program has had its turn.
constexpr int spins_on_shared_core = spins_between_progress;
constexpr int spins_on_own_core = 200'000;

// A queue serves one direction. Only the left rank writes `sent`, and only the right `released`.
struct LinkQueue {
  alignas(cache_line_bytes) std::atomic<std::uint64_t> sent{0};
  alignas(cache_line_bytes) std::atomic<std::uint64_t> released{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(sizeof(LinkQueue) <= page_bytes);

constexpr std::size_t area_bytes = page_bytes + slot_count * chunk_bytes_inside_node;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Holds one end of the queue between two neighbours, and how many of its chunks have passed here.
class QueueEnd {
 public:
  // `area` is the memory of the left neighbour, which made the queue.
  QueueEnd(std::byte* area, LinkQueue* queue) : area_(area), queue_(queue) {}

  LinkQueue& queue() const { return *queue_; }
  std::uint64_t passed() const { return passed_; }
  std::byte* slot() const {
    return area_ + page_bytes + passed_ % slot_count * chunk_bytes_inside_node;
  }
  // Tells the neighbour through `counter` that one more chunk has passed.
  void pass(std::atomic<std::uint64_t>& counter) {
    counter.store(++passed_, std::memory_order_release);
  }

 private:
  std::byte* area_;
  LinkQueue* queue_;
  std::uint64_t passed_ = 0;
};

// Measures passes, and chooses by their times how chunks are written.
class TimedStore {
 public:
  void begin(std::size_t bytes) {
    bytes_ = bytes;
    if (bytes >= least_timed_bytes) store_ = choice_.next();
  }
  // Time counts from the left neighbour's first chunk on.
  void note_chunk() {
    if (!begin_) begin_ = Clock::now();
  }
  void end() {
    if (begin_ && bytes_ >= least_timed_bytes) {
      const std::chrono::duration<double> passed = Clock::now() - *begin_;
      choice_.record(passed.count() / static_cast<double>(bytes_));
    }
    begin_.reset();
  }
  bool is_streamed() const { return store_ == Store::streamed; }

 private:
  StoreChoice choice_;
  Store store_ = Store::cached;
  std::size_t bytes_ = 0;
  std::optional<Clock::time_point> begin_;
};

class SharedLink final : public RingLink {
 public:
  SharedLink(const Communicator& communicator, std::unique_ptr<SharedMemory> memory)
      : comm_(communicator.handle().comm),
        memory_(std::move(memory)),
        spins_before_yield_(communicator.size() > sysconf(_SC_NPROCESSORS_ONLN)
                                ? spins_on_shared_core
                                : spins_on_own_core),
        right_(make_queue(communicator.rank())),
        left_(join_queue(communicator)),
        right_peer_(peer_list(communicator, right_of(communicator))),
        left_peer_(peer_list(communicator, left_of(communicator))) {}

  std::size_t chunk_bytes() const override { return chunk_bytes_inside_node; }
  int chunks_in_flight() const override { return shared_chunks_in_flight; }

  void begin(std::size_t bytes) override { store_.begin(bytes); }

  bool streams(std::size_t bytes) const override {
    return store_.is_streamed() && bytes >= least_streamed_bytes;
  }

  void expect(std::size_t) override {}

  std::byte* outgoing() override {
    const std::uint64_t sent = right_.passed();
    if (sent >= slot_count) wait_for(right_.queue().released, sent - slot_count + 1, right_peer_);
    return right_.slot();
  }

  void send(std::size_t) override { right_.pass(right_.queue().sent); }

  const std::byte* incoming() override {
    wait_for(left_.queue().sent, left_.passed() + 1, left_peer_);
    store_.note_chunk();
    return left_.slot();
  }

  void release() override { left_.pass(left_.queue().released); }

  void end() override { store_.end(); }

 private:
  std::byte* area(int rank) const { return memory_->data() + rank * area_bytes; }

  QueueEnd make_queue(int rank) const { return {area(rank), new (area(rank)) LinkQueue}; }

  // Waits until all ranks have made their queues.
  QueueEnd join_queue(const Communicator& communicator) const {
    communicator.barrier();
    std::byte* const left = area(left_of(communicator));
    return {left, std::launder(reinterpret_cast<LinkQueue*>(left))};
  }

  void wait_for(const std::atomic<std::uint64_t>& counter,
                std::uint64_t value,
                const RankList& peer) const {
    if (counter.load(std::memory_order_acquire) >= value) return;
    const Wait wait("ring in shared memory", peer);
    for (std::int64_t spins = 1; counter.load(std::memory_order_acquire) < value; ++spins) {
      pause_core();
      if (spins % spins_between_progress != 0) continue;
      progress_messages();
      if (spins >= spins_before_yield_) sched_yield();
    }
  }

  // Lets MPI work, because the neighbour may wait for a message that this rank has begun to send.
  void progress_messages() const {
    int there = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, ring_tag, comm_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  }

  MPI_Comm comm_;
  std::unique_ptr<SharedMemory> memory_;
  int spins_before_yield_;
  QueueEnd right_;  // this rank sends
  QueueEnd left_;   // this rank receives
  const RankList& right_peer_;
  const RankList& left_peer_;
  TimedStore store_;
};

}  // namespace

std::unique_ptr<RingLink> make_shared_link(const Communicator& communicator) {
  const std::size_t bytes = communicator.size() * area_bytes;
  auto memory = SharedMemory::create(communicator, bytes);
  if (memory == nullptr) return nullptr;
  return std::make_unique<SharedLink>(communicator, std::move(memory));
}

}  // namespace cnnplan
