// Asks the operating system for the cores of this rank.
#include "executor/step/bound_cores.hpp"

#include <sched.h>

#include "planner/base/bytes_text.hpp"

namespace cnnplan {

int bound_cores() {
  cpu_set_t own;
  return sched_getaffinity(0, sizeof(own), &own) == 0 ? CPU_COUNT(&own) : 1;
}

std::optional<std::string> few_cores(int lanes, const Device& device) {
  const int cores = bound_cores();
  if (!device.is_host() || lanes <= cores) return std::nullopt;
  return std::to_string(lanes) + " groups of layers run at the same time, but a rank may use " +
         counted(cores, "core") +
         ": start it with mpirun --map-by slot:PE=" + std::to_string(lanes);
}

void tell_few_cores(const Schedule& schedule,
                    const Device& device,
                    const std::function<void(const std::string& text)>& note) {
  const std::optional<std::string> few = few_cores(schedule.lanes, device);
  if (few && note) note(*few);
}

}  // namespace cnnplan
