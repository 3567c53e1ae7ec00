// Ring neighbours on one node: chunks are written to and read from memory that both map.
#pragma once

#include <memory>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// Collective. Null on every rank where not all ranks share memory. `communicator` must outlive the
// link.
std::unique_ptr<RingLink> make_shared_link(const Communicator& communicator);

}  // namespace cnnplan
