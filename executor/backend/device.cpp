// Reads the CPU's name from the kernel.
#include "executor/backend/device.hpp"

#include <fstream>

namespace cnnplan {
namespace {

std::string cpu_model() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

}  // namespace

std::string cpu_device(int threads) {
  return cpu_model() + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

}  // namespace cnnplan
