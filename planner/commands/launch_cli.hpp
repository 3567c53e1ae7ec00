// Adds the subcommand launch to the command line of cnnplan.
#pragma once

#include <string>
#include <vector>

#include "planner/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace cnnplan {

// Adds the subcommand, which fills `options`. Its help ends with the text `exit_codes`.
void add_launch(CLI::App& app, LaunchOptions& options, const std::string& exit_codes);

// Returns the number of arguments of cnnplan that are its own. If the command is launch, the
// arguments after "--" are appended to `words`, and neither they nor "--" are counted.
int own_arguments(int argc, const char* const* argv, std::vector<std::string>& words);

}  // namespace cnnplan
