// Formats --help: as wide as the terminal, or 80 columns, options in groups, and examples.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace cnnplan {

// Returns the columns of stdout, where the help goes: 40 to 100 on a terminal, else 80.
std::size_t help_columns();

// Sets how an app and the subcommands that are added to it later print their help. Call it before
// options are added.
void use_help_text(CLI::App& app);

// Holds a command that --help shows, with a note for the reader.
struct Example {
  std::string command;  // at most 76 characters, else with line breaks of its own
  std::string note{};   // what the command is for; may be empty
};

// Returns the section EXAMPLES of --help. A note follows its command on the line if both fit, and
// otherwise is below it.
std::string examples_text(const std::vector<Example>& examples);
// Returns a section of --help. Each line of `text` is a paragraph.
std::string section_text(std::string_view title, std::string_view text);

}  // namespace cnnplan
