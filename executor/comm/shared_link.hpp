// Makes the link between ring neighbours on one node, which exchange chunks through shared memory.
#pragma once

#include <memory>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// Returns the link, or null on every rank where some ranks are on another node or cannot map the
// shared memory. `communicator` must outlive the link. This call is collective and blocks.
std::unique_ptr<RingLink> make_shared_link(const Communicator& communicator);

}  // namespace cnnplan
