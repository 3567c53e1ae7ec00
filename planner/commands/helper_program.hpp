// Starts the programs next to this one that need more libraries than cnnplan.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns the path that a program has in the folder of this one, whether or not it exists.
// @throws EnvironmentError where the folder of this program is not known
std::string beside_this_program(const std::string& name);

// Returns this path. @throws EnvironmentError where there is no such program
std::string helper_path(const std::string& name);

// Replaces this process by the program, after standard output is written.
// @throws EnvironmentError when the program cannot be started, IoError when output cannot be
// written
[[noreturn]] void run_helper(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cnnplan
