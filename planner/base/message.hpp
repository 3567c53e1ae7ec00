// Breaks messages for people into lines, and prints them to stderr.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "planner/base/terminal.hpp"

namespace cnnplan {

// Begins a line of a message that is a command to be copied. It follows a line of text.
inline constexpr std::string_view command_line = "\n    ";

// Returns a word of a command, quoted where a shell would split or change it.
std::string shell_word(const std::string& word);

// Returns lines of at most `columns` characters, each with a line break. Text is broken at spaces,
// and its later lines have the indent of a command. A command is put behind the text before it if
// both fit into a line. Else it has lines of its own, which end with " \" except the last.
std::string message_text(std::string_view message, std::size_t columns);

// Returns the style for the stderr of this process.
MessageStyle stderr_style();

// Print to stderr in one piece. An error begins with the name of the program. With colours, this
// name is red, and a warning is yellow.
void print_note(std::string_view message, const MessageStyle& style = stderr_style());
void print_warning(std::string_view message, const MessageStyle& style = stderr_style());
void print_error(std::string_view program,
                 std::string_view message,
                 const MessageStyle& style = stderr_style());

}  // namespace cnnplan
