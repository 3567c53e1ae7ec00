// Answers `cnnplan doctor`, which starts the programs with --doctor.
#pragma once

#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Prints the findings to stdout as JSON, and returns the exit code of the program.
int answer_with(const std::vector<Finding>& findings);

}  // namespace cnnplan
