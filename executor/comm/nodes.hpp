// Finds out how the ranks are placed on nodes.
#pragma once

#include <cstdint>
#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Says where this rank is among the ranks of a communicator. A node is a set of ranks that can
// share memory.
struct Nodes {
  int ranks_here = 1;   // ranks that share memory with this one, itself included
  int rank_here = 0;    // number of this rank among them
  int first_rank = 0;   // the lowest rank of the communicator among them
  bool regular = true;  // every node has equally many ranks, numbered consecutively
};

// Returns the placement of this rank. `regular` is equal on all ranks. It is collective and blocks.
Nodes find_nodes(const Communicator& communicator);
// True if all ranks of the communicator are on one node. The first call is collective and blocks,
// and later calls return the remembered answer.
bool are_on_one_node(const Communicator& communicator);
// Waits for all ranks before a collective on `bytes`, if the ranks are on several nodes and the
// bytes are at least 256 KiB. Over TCP, both directions of a link are then busy at the same time.
// This call is collective, and all ranks pass equal numbers.
void begin_together(const Communicator& communicator, std::int64_t bytes);
// Returns the name of the node that this rank runs on.
std::string host_name();

}  // namespace cnnplan
