// Starts the programs next to this one that need more libraries than cnnplan.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns the path that a program has in the folder of this one, whether or not it exists.
// @throws EnvironmentError where the folder of this program is not known
std::string beside_this_program(const std::string& name);

// Returns the path of beside_this_program(name). @throws EnvironmentError if no file has this path
std::string helper_path(const std::string& name);

// Replaces this process by the program at helper_path(name), after standard output is written.
// `arguments` do not include the name of the program.
// @throws EnvironmentError when the program cannot be started, IoError when output cannot be
// written
[[noreturn]] void run_helper(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cnnplan
