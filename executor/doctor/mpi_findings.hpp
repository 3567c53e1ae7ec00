// Says which MPI library runs, and what it allows.
#pragma once

#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Starts MPI on this process alone, asks it, and ends it. Returns findings about the library. Call
// it once, in a process that does not start MPI otherwise.
// @throws CommError; MPI itself may end the process
std::vector<Finding> mpi_findings();

}  // namespace cnnplan
