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

class SharedLink final : public RingLink {
 public:
  SharedLink(const Communicator& communicator, std::unique_ptr<SharedMemory> memory)
      : comm_(communicator.handle().comm),
        memory_(std::move(memory)),
        spins_before_yield_(communicator.size() > sysconf(_SC_NPROCESSORS_ONLN)
                                ? spins_on_shared_core
                                : spins_on_own_core) {
    const int left = (communicator.rank() + communicator.size() - 1) % communicator.size();
    right_area_ = area(communicator.rank());
    left_area_ = area(left);
    to_right_ = new (right_area_) LinkQueue;
    communicator.barrier();
    from_left_ = std::launder(reinterpret_cast<LinkQueue*>(left_area_));
  }

  std::size_t chunk_bytes() const override { return chunk_bytes_inside_node; }
  int chunks_in_flight() const override { return shared_chunks_in_flight; }

  void begin(std::size_t bytes) override {
    pass_bytes_ = bytes;
    if (bytes >= least_timed_bytes) store_ = choice_.next();
  }

  bool streams(std::size_t bytes) const override {
    return store_ == Store::streamed && bytes >= least_streamed_bytes;
  }

  void expect(std::size_t) override {}

  std::byte* outgoing() override {
    if (sent_ >= slot_count) wait_for(to_right_->released, sent_ - slot_count + 1);
    return slot(right_area_, sent_);
  }

  void send(std::size_t) override { to_right_->sent.store(++sent_, std::memory_order_release); }

  const std::byte* incoming() override {
    wait_for(from_left_->sent, released_ + 1);
    if (!pass_begin_) pass_begin_ = Clock::now();
    return slot(left_area_, released_);
  }

  void release() override { from_left_->released.store(++released_, std::memory_order_release); }

  void end() override {
    if (pass_begin_ && pass_bytes_ >= least_timed_bytes) {
      const std::chrono::duration<double> passed = Clock::now() - *pass_begin_;
      choice_.record(passed.count() / static_cast<double>(pass_bytes_));
    }
    pass_begin_.reset();
  }

 private:
  std::byte* area(int rank) const {
    return memory_->data() + static_cast<std::size_t>(rank) * area_bytes;
  }

  static std::byte* slot(std::byte* area, std::uint64_t index) {
    return area + page_bytes + index % slot_count * chunk_bytes_inside_node;
  }

  void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t value) const {
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
  std::byte* right_area_ = nullptr;
  std::byte* left_area_ = nullptr;
  LinkQueue* to_right_ = nullptr;
  LinkQueue* from_left_ = nullptr;
  StoreChoice choice_;
  Store store_ = Store::cached;
  std::size_t pass_bytes_ = 0;
  std::optional<Clock::time_point> pass_begin_;  // when the left neighbour's first chunk had come
  std::uint64_t sent_ = 0;
  std::uint64_t released_ = 0;
};

}  // namespace

std::unique_ptr<RingLink> make_shared_link(const Communicator& communicator) {
  const std::size_t bytes = static_cast<std::size_t>(communicator.size()) * area_bytes;
  auto memory = SharedMemory::create(communicator, bytes);
  if (memory == nullptr) return nullptr;
  return std::make_unique<SharedLink>(communicator, std::move(memory));
}

}  // namespace cnnplan
