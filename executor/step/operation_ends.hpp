// Says which operations of a step are done, for the lanes that wait for them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cnnplan {

// Marks operations by their number in the schedule, which has as many operations as the constructor
// is given. Several threads may call mark(), wait() and fail() at once.
class OperationEnds {
 public:
  explicit OperationEnds(std::size_t operations) : steps_(operations) {}

  // Call it before the lanes of a step begin.
  void begin_step() {
    ++step_;
    failed_.store(false, std::memory_order_relaxed);
  }
  // Says that a lane failed. Operations that are marked from now on may not have been computed.
  void fail() { failed_.store(true, std::memory_order_release); }
  // True if a lane failed in this step.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // Says that the operation is done. Lanes that wait for it see the results.
  void mark(std::size_t operation) {
    steps_[operation].store(step_, std::memory_order_release);
    steps_[operation].notify_all();
  }
  // Blocks until the operation is marked in this step.
  void wait(std::size_t operation) const {
    for (std::uint32_t last = steps_[operation].load(std::memory_order_acquire); last != step_;
         last = steps_[operation].load(std::memory_order_acquire)) {
      steps_[operation].wait(last, std::memory_order_acquire);
    }
  }

 private:
  std::uint32_t step_ = 0;
  std::atomic<bool> failed_ = false;
  std::vector<std::atomic<std::uint32_t>> steps_;  // the last step in which each was done
};

}  // namespace cnnplan
