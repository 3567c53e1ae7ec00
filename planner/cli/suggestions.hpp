// Names the option that a user may have meant.
#pragma once

#include <cstddef>

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace cnnplan {

// Lets the message about an unknown option of an app or its subcommands name the option that other
// programs call so, or the one that is spelled most alike.
// Messages have at most `columns` columns.
void suggest_options(CLI::App& app, std::size_t columns);
// Makes messages as wide as the terminal of stderr.
void suggest_options(CLI::App& app);

}  // namespace cnnplan
