// Asks the system for the memory of the node and of the control group, and MPI for the ranks that
// share it.
#include "executor/comm/node_memory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>

#include <unistd.h>

#include "executor/backend/mps.hpp"
#include "executor/comm/nodes.hpp"
#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// Returns the path of this process's control group, "" where there is none of version 2.
std::string control_group() {
  const std::string version_2 = "0::";
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(version_2)) return line.substr(version_2.size());
  }
  return "";
}

// Returns the least limit of the control group and of those that hold it. Batch systems and
// containers end a process that needs more.
std::int64_t control_group_bytes() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::filesystem::path root("/sys/fs/cgroup");
  std::filesystem::path group = std::filesystem::path(control_group()).relative_path();
  for (bool is_root = false; !is_root; group = group.parent_path()) {
    is_root = group.empty();
    std::ifstream stream(root / group / "memory.max");  // a number or "max"
    if (std::int64_t limit = 0; stream >> limit) least = std::min(least, limit);
  }
  return least;
}

std::int64_t host_bytes() {
  const std::int64_t physical = checked_multiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  return std::min(physical, control_group_bytes());
}

// Returns the largest number of ranks that passed the same text. Ranks may see one device each, all
// under the number 0, so the place of a device identifies it.
int most_equal(const std::string& place, const Communicator& world) {
  std::map<std::string, int> ranks;
  for (const std::string& other : world.gather(place, 0)) ++ranks[other];
  int most = 0;
  for (const auto& [text, count] : ranks) most = std::max(most, count);
  return static_cast<int>(world.maximum(most));
}

}  // namespace

int most_ranks_on_a_device(const Communicator& world, const Device& device) {
  if (device.is_host()) return static_cast<int>(world.maximum(find_nodes(world).ranks_here));
  return most_equal(host_name() + ' ' + device.place(), world);
}

// A rank on a node with MPS never takes turns. Its number takes the place of a device's name.
bool take_turns(const Communicator& world, const Device& device) {
  if (device.is_host()) return false;
  const std::string place = find_mps().is_running ? "MPS " + std::to_string(world.rank())
                                                  : host_name() + ' ' + device.place();
  return most_equal(place, world) > 1;
}

std::int64_t memory_of_rank(const Communicator& world, const Device& device) {
  const std::int64_t here = device.is_host() ? host_bytes() : device.memory_bytes();
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
