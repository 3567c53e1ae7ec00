// Ring neighbours that exchange messages: any ranks on any machines.
#pragma once

#include <memory>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// Local. `communicator` must outlive the link.
std::unique_ptr<RingLink> make_message_link(const Communicator& communicator);

}  // namespace cnnplan
