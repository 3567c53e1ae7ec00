// Asks the system for its name, its processor and the time.
#include "executor/training/run_origin.hpp"

#include <ctime>

#include "executor/backend/cpu_device.hpp"
#include "executor/comm/nodes.hpp"
#include "planner/run/utc_time.hpp"

namespace cnnplan {

std::map<std::string, std::string> run_origin(const std::string& command,
                                              const std::string& commit) {
  std::map<std::string, std::string> origin{{"host", host_name()},
                                            {"processor", CpuDevice().name()},
                                            {"date", utc_text(std::time(nullptr))},
                                            {"command", command},
                                            {"commit", commit}};
  std::erase_if(origin, [](const auto& entry) { return entry.second.empty(); });
  return origin;
}

}  // namespace cnnplan
