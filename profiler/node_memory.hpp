// The memory that the ranks of a node share.
#pragma once

#include <cstdint>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Of the smallest node, with the ranks of the fullest.
struct NodeMemory {
  std::int64_t bytes = 0;  // physical
  int ranks = 1;
};

// The same on all ranks. Collective, blocking.
NodeMemory find_node_memory(const Communicator& world);

}  // namespace cnnplan
