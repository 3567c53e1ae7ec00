// Measures the links and writes a platform file.
#pragma once

#include <string>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Prints the tables of what was measured to stdout on rank 0. Collective.
void links_command(const std::string& file, const Communicator& world);

}  // namespace cnnplan
