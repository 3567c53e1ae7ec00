// Names the option that a user may have meant.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library has this name
class App;
}

namespace cnnplan {

// Lets the message about an unknown option of an app or its subcommands name the most similar one.
void suggest_options(CLI::App& app);

}  // namespace cnnplan
