// Starts the programs next to this one that need more libraries than cnnplan.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns the path of a program in the folder of this one.
// @throws EnvironmentError when it is missing
std::string helper_path(const std::string& name);

// Replaces this process by the program, after standard output is written.
// @throws EnvironmentError when the program cannot be started, IoError when output cannot be
// written
[[noreturn]] void run_helper(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cnnplan
