// Reads the name of the processor and the peak of the process from the kernel. Events are readings
// of the clock.
#include "executor/backend/cpu_device.hpp"

#include <chrono>
#include <cstring>
#include <fstream>

#include "executor/backend/finite_numbers.hpp"
#include "planner/kernel/device_text.hpp"

namespace cnnplan {
namespace {

using Clock = std::chrono::steady_clock;

std::string cpu_model() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

class CpuEvent final : public Event {
 public:
  void record() override { time_ = Clock::now(); }
  void wait() const override {}
  void synchronize() const override {}
  double seconds_since(const Event& earlier) const override {
    return std::chrono::duration<double>(time_ - dynamic_cast<const CpuEvent&>(earlier).time_)
        .count();
  }

 private:
  Clock::time_point time_;
};

}  // namespace

std::string cpu_name(int threads) {
  return device_text(cpu_model(), threads);
}

std::string CpuDevice::name() const {
  return cpu_model();
}

// The line is "VmHWM:	  123456 kB". Unlike getrusage(), it does not count what the process was
// before exec().
std::int64_t CpuDevice::peak_bytes() const {
  constexpr std::int64_t unit_bytes = 1024;
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    if (word != "VmHWM:") continue;
    std::int64_t units = 0;
    stream >> units;
    return units * unit_bytes;
  }
  return 0;
}

void CpuDevice::clear(void* memory, std::int64_t bytes) {
  if (bytes > 0) std::memset(memory, 0, bytes);
}

void CpuDevice::copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void CpuDevice::copy_to_device(void* device, const void* host, std::int64_t bytes) {
  copy_to_host(device, host, bytes);
}

bool CpuDevice::are_finite(ElementType element, const void* memory, std::int64_t count) {
  return cnnplan::are_finite(element, memory, count);
}

std::unique_ptr<Event> CpuDevice::make_event() {
  return std::make_unique<CpuEvent>();
}

}  // namespace cnnplan
