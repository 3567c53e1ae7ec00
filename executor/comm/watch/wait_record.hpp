// Says what this process waits for, so that its watchdog can tell others. To begin or end a wait,
// or to give a sign of progress, costs a few nanoseconds and takes no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "executor/comm/watch/device_fault.hpp"
#include "executor/comm/watch/lasting.hpp"
#include "planner/base/memory_units.hpp"

namespace cnnplan {

// Holds what WaitRecord::view() returns.
struct WaitView {
  const char* call = nullptr;       // the blocking call, such as "MPI_Wait"; null: not waiting
  const RankList* peers = nullptr;  // the ranks that it waits for; null: not waiting
  const std::string* activity = nullptr;  // the operation or phase; null before the first one
  std::uint64_t changes = 0;              // differs whenever a wait has begun or ended
  std::uint64_t signs = 0;                // differs whenever there was a sign of progress
  std::optional<DeviceFault> fault;       // the first one of WaitRecord::set_fault()

  bool is_waiting() const { return call != nullptr; }
};

// Holds what this process waits for. One thread at a time begins and ends waits, which do not nest,
// and adds device peers. Any thread gives signs of progress, and any thread reads. Texts and lists
// that are passed to the record must live until the program ends, except in add_device_peers().
class WaitRecord {
 public:
  // Says that the calling thread now waits in `call` for `peers`, until end().
  void begin(const char* call, const RankList& peers) { write(call, &peers); }
  void end() { write(nullptr, nullptr); }
  // Sets what this process does, for messages. The activity stays until the next one is set.
  // Setting it is a sign of progress.
  void set_activity(const std::string& activity) {
    activity_.store(&activity, std::memory_order_relaxed);
    give_sign();
  }
  const std::string* activity() const { return activity_.load(std::memory_order_relaxed); }
  // Says that local work has got on. When two threads do so at once, one sign may be lost.
  void give_sign() {
    signs_.store(signs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  // Says that work of the device may from now on wait for these ranks, too. It takes a lock.
  void add_device_peers(const RankList& peers);
  // Returns all ranks of add_device_peers(), or null if the device waits for nobody.
  const RankList* device_peers() const { return device_peers_.load(std::memory_order_relaxed); }
  // Says that communication of the device failed. Only the first fault is kept. Any thread may call
  // it; it takes a lock, as does view().
  void set_fault(const DeviceFault& fault);
  // Returns the call, its peers and the number of changes as of one moment, although the record may
  // change meanwhile. The activity and the signs may be of a later moment.
  WaitView view() const;

 private:
  // An odd version says that a write is under way.
  void write(const char* call, const RankList* peers) {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    call_.store(call, std::memory_order_relaxed);
    peers_.store(peers, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }

  alignas(cache_line_bytes) std::atomic<std::uint64_t> version_{0};
  std::atomic<const char*> call_{nullptr};
  std::atomic<const RankList*> peers_{nullptr};
  std::atomic<const std::string*> activity_{nullptr};
  std::atomic<std::uint64_t> signs_{0};
  std::atomic<const RankList*> device_peers_{nullptr};  // null: the device waits for nobody
  mutable std::mutex fault_mutex_;
  std::optional<DeviceFault> fault_;
};

// Returns the record of this process. There is only one, as there is only one MPI.
WaitRecord& own_record();

// Marks a blocking call: it waits for other ranks as long as this object lives.
class Wait {
 public:
  // `call` and `peers` must live until the program ends.
  Wait(const char* call, const RankList& peers) { own_record().begin(call, peers); }
  ~Wait() { own_record().end(); }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
};

// Marks a wait of the host for its device, as long as this object lives. This is a wait for other
// ranks only if the device exchanges messages with them, as NCCL lets it do.
class DeviceWait {
 public:
  DeviceWait() : waits_(own_record().device_peers() != nullptr) {
    if (waits_) own_record().begin("the device, which runs NCCL", *own_record().device_peers());
  }
  ~DeviceWait() {
    if (waits_) own_record().end();
  }
  DeviceWait(const DeviceWait&) = delete;
  DeviceWait& operator=(const DeviceWait&) = delete;

 private:
  bool waits_;
};

// Names what this rank does, as long as the object lives. Then the previous name returns, if there
// was one. To make the object takes a lock, as lasting() does.
class Activity {
 public:
  explicit Activity(const std::string& name) : previous_(own_record().activity()) {
    own_record().set_activity(lasting(name));
  }
  ~Activity() {
    if (previous_ != nullptr) own_record().set_activity(*previous_);
  }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  const std::string* previous_;
};

// Says that long local work has got on, so that ranks that wait for this one go on waiting.
inline void give_sign_of_progress() {
  own_record().give_sign();
}

}  // namespace cnnplan
