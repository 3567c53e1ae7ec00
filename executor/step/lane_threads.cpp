// A run is a number that the threads wait for.
#include "executor/step/lane_threads.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "planner/base/error.hpp"

namespace cnnplan {

LaneThreads::LaneThreads(int lanes, const std::function<void()>& prepare) {
  try {
    for (int lane = 1; lane < lanes; ++lane) {
      threads_.emplace_back([this, lane, prepare] { work(lane, prepare); });
    }
  } catch (const std::system_error& error) {
    end();
    throw EnvironmentError("of " + std::to_string(lanes) +
                           " threads for groups of layers at the same time, number " +
                           std::to_string(threads_.size() + 2) + " cannot start: " + error.what());
  }
}

void LaneThreads::end() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LaneThreads::run(const Task& task) {
  {
    const std::scoped_lock lock(mutex_);
    task_ = &task;
    busy_ = static_cast<int>(threads_.size());
    ++runs_;
  }
  changed_.notify_all();
  call(0, task);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void LaneThreads::work(int lane, const std::function<void()>& prepare) {
  prepare();
  for (std::int64_t seen = 0;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, seen] { return ends_ || runs_ > seen; });
    if (ends_) return;
    seen = runs_;
    const Task& task = *task_;
    lock.unlock();
    call(lane, task);
    lock.lock();
    if (--busy_ > 0) continue;
    lock.unlock();
    changed_.notify_all();
  }
}

void LaneThreads::call(int lane, const Task& task) {
  try {
    task(lane);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace cnnplan
