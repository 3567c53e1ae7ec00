// Asks the system for the memory of the node, and MPI for the ranks that share it.
#include "executor/comm/node_memory.hpp"

#include <algorithm>
#include <map>

#include <unistd.h>

#include "executor/comm/nodes.hpp"
#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

// Ranks may see one device each, all under the number 0, so the place of a device identifies it.
int most_ranks_on_a_device(const Communicator& world, const Device& device) {
  if (device.is_host()) return static_cast<int>(world.maximum(find_nodes(world).ranks_here));
  std::map<std::string, int> ranks;
  for (const std::string& place : world.gather(host_name() + ' ' + device.place(), 0)) {
    ++ranks[place];
  }
  int most = 0;
  for (const auto& [place, count] : ranks) most = std::max(most, count);
  return static_cast<int>(world.maximum(most));
}

std::int64_t memory_of_rank(const Communicator& world, const Device& device) {
  const std::int64_t here = device.is_host()
                                ? checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE))
                                : device.memory_bytes();
  const double smallest = -world.maximum(-static_cast<double>(here));
  return static_cast<std::int64_t>(smallest / most_ranks_on_a_device(world, device));
}

void require_memory(std::int64_t own_bytes,
                    const std::string& what,
                    const Communicator& world,
                    const Device& device) {
  const std::int64_t available = memory_of_rank(world, device);
  const auto needed = static_cast<std::int64_t>(world.maximum(static_cast<double>(own_bytes)));
  if (needed > available) {
    throw InfeasibleError(what + ": memory per rank", needed, available);
  }
}

}  // namespace cnnplan
