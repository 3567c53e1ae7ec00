// Writes and finds the number of threads, and finds the name of the backend.
#include "planner/kernel/device_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "planner/base/bytes_text.hpp"

namespace cnnplan {
bool names_gpu(std::string_view fingerprint_text) {
  const std::string backend = "; " + std::string(gpu_backend) + " (";
  return fingerprint_text.find(backend) != std::string_view::npos;
}

std::string device_text(std::string_view processor, int threads) {
  return std::string(processor) + ", " + counted(threads, "thread");
}

int threads_in(std::string_view device) {
  constexpr int most_threads = 4096;
  const std::size_t end = device.find(" thread");
  if (end == std::string_view::npos) return 1;
  const std::size_t before = device.find_last_of(' ', end - 1);
  const std::string_view digits = device.substr(before + 1, end - before - 1);
  int threads = 1;
  std::from_chars(digits.data(), digits.data() + digits.size(), threads);
  return std::clamp(threads, 1, most_threads);
}

}  // namespace cnnplan
