// Makes the link between ring neighbours that send each other MPI messages, on any machines.
#pragma once

#include <memory>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// Returns the link, never null. This call is not collective. `communicator` must outlive the link.
std::unique_ptr<RingLink> make_message_link(const Communicator& communicator);

}  // namespace cnnplan
