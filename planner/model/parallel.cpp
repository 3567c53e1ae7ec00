// Indices handed out one by one.
#include "planner/model/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace cnnplan {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body) {
  const std::size_t workers =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < workers; ++i) others.push_back(std::async(work));
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace cnnplan
