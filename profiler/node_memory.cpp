// Asks the system and MPI.
#include "profiler/node_memory.hpp"

#include <unistd.h>

#include "executor/comm/nodes.hpp"
#include "planner/model/checked.hpp"

namespace cnnplan {

NodeMemory find_node_memory(const Communicator& world) {
  const std::int64_t here = checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  const double smallest = -world.maximum(-static_cast<double>(here));
  return {.bytes = static_cast<std::int64_t>(smallest),
          .ranks = static_cast<int>(world.maximum(find_nodes(world).ranks_here))};
}

}  // namespace cnnplan
