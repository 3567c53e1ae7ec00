// Reads from the kernel's files what decides how fast and how steadily this machine computes.
#pragma once

#include <string>
#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Returns the processor, its cores, the ranks that mpirun starts by default, memory, clock
// governor, huge pages and the load of other programs. `root` is the folder that holds proc and
// sys, with a "/" at its end. A file that is missing makes a finding that says so.
std::vector<Finding> machine_findings(const std::string& root = "/");

}  // namespace cnnplan
