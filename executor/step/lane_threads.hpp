// Runs the lanes of a schedule in threads, where kernels run on the host.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cnnplan {

// Owns a thread for each lane except lane 0, which is the thread that calls run().
class LaneThreads {
 public:
  using Task = std::function<void(int lane)>;

  // Starts the threads. `prepare` is called once in the thread of each lane except lane 0, and must
  // not throw.
  // @throws EnvironmentError where the system has not as many threads
  LaneThreads(int lanes, const std::function<void()>& prepare);
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;
  ~LaneThreads() { end(); }

  // Calls task(lane) for all lanes at once and returns when all have ended.
  // @throws the exception that was thrown first in time; those of other lanes are lost
  void run(const Task& task);

 private:
  void end();
  void work(int lane, const std::function<void()>& prepare);
  void call(int lane, const Task& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  const Task* task_ = nullptr;  // of the last run
  std::int64_t runs_ = 0;
  int busy_ = 0;  // threads that have not ended the task
  bool ends_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace cnnplan
