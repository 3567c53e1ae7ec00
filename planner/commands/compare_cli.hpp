// Adds the subcommand compare to the command line of cnnplan.
#pragma once

#include <string>

#include "planner/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace cnnplan {

// Adds the subcommand, which fills `options`. Its help ends with the text `exit_codes`.
void add_compare(CLI::App& app, CompareOptions& options, const std::string& exit_codes);

}  // namespace cnnplan
