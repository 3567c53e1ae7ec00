// Says which MPI library runs, and what it allows.
#pragma once

#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Starts MPI on this process alone, and ends it. Call it once, before MPI runs.
// @throws CommError; MPI itself may end the process
std::vector<Finding> mpi_findings();

}  // namespace cnnplan
