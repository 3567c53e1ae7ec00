// The command line of cnnplan import.
#pragma once

#include <string>

#include "planner/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace cnnplan {

// Adds the subcommand, which fills `options`. The text `exit_codes` ends its help.
void add_import(CLI::App& app, ImportCommandOptions& options, const std::string& exit_codes);

}  // namespace cnnplan
