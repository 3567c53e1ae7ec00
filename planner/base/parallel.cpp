// Hands out indices to threads one by one.
#include "planner/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include <sched.h>

namespace cnnplan {
namespace {

// A nested call finds all cores busy, so it uses only its own.
thread_local bool inside = false;

// Returns the cores that this process may use; a pinned process has fewer than the machine.
std::size_t usable_cores() {
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return std::max(1, count);
}

// Keeps the exception of the lowest index that failed, so that a program reports one and the same
// error in every run.
class FirstFailure {
 public:
  void record(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    if (error_ && index > index_) return;
    index_ = index;
    error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t index_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  FirstFailure failure;
  const auto work = [&] {
    const bool was_inside = std::exchange(inside, true);
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        failure.record(i);
        next = count;
      }
    }
    inside = was_inside;
  };
  const std::size_t workers = inside ? 1 : std::min(count, usable_cores());
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < workers; ++i) others.push_back(std::async(work));
  work();
  for (std::future<void>& other : others) other.get();
  failure.rethrow();
}

}  // namespace cnnplan
