// The command line of cnnplan import.
#pragma once

#include "planner/commands/commands.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
}

namespace cnnplan {

// Adds the subcommand, which fills `options`; `exit_codes` end its help.
void add_import(CLI::App& app, ImportCommandOptions& options, const char* exit_codes);

}  // namespace cnnplan
