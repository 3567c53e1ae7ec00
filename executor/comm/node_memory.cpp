// Asks the system and MPI.
#include "executor/comm/node_memory.hpp"

#include <unistd.h>

#include "executor/comm/nodes.hpp"
#include "planner/model/checked.hpp"
#include "planner/model/error.hpp"

namespace cnnplan {

std::int64_t memory_of_rank(const Communicator& world, const Device& device) {
  const std::int64_t here = device.is_host()
                                ? checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE))
                                : device.memory_bytes();
  const int devices = device.devices_here();
  const int sharing = (find_nodes(world).ranks_here + devices - 1) / devices;
  const double smallest = -world.maximum(-static_cast<double>(here));
  return static_cast<std::int64_t>(smallest / world.maximum(sharing));
}

void require_memory(std::int64_t own_bytes,
                    const std::string& what,
                    const Communicator& world,
                    const Device& device) {
  const std::int64_t available = memory_of_rank(world, device);
  const auto needed = static_cast<std::int64_t>(world.maximum(static_cast<double>(own_bytes)));
  if (needed > available) {
    throw InfeasibleError(what + ": bytes of memory per rank", needed, available);
  }
}

}  // namespace cnnplan
