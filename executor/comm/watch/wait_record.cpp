// Reads a record that may change meanwhile, and holds the record of this process.
#include "executor/comm/watch/wait_record.hpp"

#include <set>

namespace cnnplan {

void WaitRecord::add_device_peers(const RankList& peers) {
  const RankList* const known = device_peers();
  std::set<int> all(peers.begin(), peers.end());
  if (known != nullptr) all.insert(known->begin(), known->end());
  device_peers_.store(&lasting(RankList(all.begin(), all.end())), std::memory_order_relaxed);
}

void WaitRecord::set_fault(const DeviceFault& fault) {
  const std::scoped_lock lock(fault_mutex_);
  if (!fault_) fault_ = fault;
}

WaitView WaitRecord::view() const {
  WaitView seen;
  for (;;) {
    const std::uint64_t before = version_.load(std::memory_order_acquire);
    seen.call = call_.load(std::memory_order_relaxed);
    seen.peers = peers_.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    seen.changes = version_.load(std::memory_order_relaxed);
    if (before == seen.changes && before % 2 == 0) break;
  }
  seen.activity = activity();
  seen.signs = signs_.load(std::memory_order_relaxed);
  const std::scoped_lock lock(fault_mutex_);
  seen.fault = fault_;
  return seen;
}

WaitRecord& own_record() {
  static WaitRecord record;
  return record;
}

}  // namespace cnnplan
