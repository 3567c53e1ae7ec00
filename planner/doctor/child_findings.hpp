// Asks the other programs what they were built with and what they find.
#pragma once

#include <string>
#include <vector>

#include "planner/doctor/child_program.hpp"
#include "planner/doctor/finding.hpp"

namespace cnnplan {

// A program of the project prints findings when it is started with this option.
inline constexpr const char* doctor_option = "--doctor";
// A program that has not answered after this time is taken to hang.
inline constexpr double child_limit_s = 10.0;

// Judges what a program of the project said to `doctor_option`: first a finding about the program
// itself, then its own findings. A program that crashes, hangs or prints anything else is missing.
std::vector<Finding> findings_of(const std::string& program, const ChildResult& result);

// Returns the finding about a program of the project that does not exist.
Finding absent_program(const std::string& program);
// Returns the finding about a program whose file may not be executed.
Finding not_executable(const std::string& program, const std::string& path);
// Returns the finding about a program for which the system starts no process.
Finding not_started(const std::string& program, const std::string& why);

}  // namespace cnnplan
