// Measures the links and writes a platform file.
#pragma once

#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Prints the tables of what was measured to stdout on rank 0. The platform names its device as the
// kernel profiles of `backend` do. Collective, blocking.
// @throws EnvironmentError when the ranks run on different devices; IoError
void links_command(const std::string& file, const std::string& backend, const Communicator& world);

}  // namespace cnnplan
