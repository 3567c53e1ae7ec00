// Finds out how the ranks are placed on nodes.
#pragma once

#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

struct Nodes {
  int ranks_here = 1;   // ranks that share memory with this one, itself included
  int rank_here = 0;    // number of this rank among them
  bool regular = true;  // every node has equally many ranks, numbered consecutively
};

// Returns the placement of this rank. `regular` is equal on all ranks. It is collective and blocks.
Nodes find_nodes(const Communicator& communicator);
// Returns the name of the node that this rank runs on.
std::string host_name();

}  // namespace cnnplan
