// Finds how wide the output of a program may be, and whether it may have colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cnnplan {

// Output has this many columns where it does not go to a terminal, or to one of unknown width.
inline constexpr std::size_t usual_columns = 80;

// What is known of the file or terminal behind stdout or stderr.
struct OutputFacts {
  bool is_terminal = false;
  std::size_t terminal_columns = 0;  // as the terminal says; 0: it does not say
  const char* columns = nullptr;     // the variable COLUMNS of the environment
  const char* no_color = nullptr;    // the variable NO_COLOR
  const char* term = nullptr;        // the variable TERM
};
OutputFacts output_facts(int descriptor);

// Returns the columns for text: those of a terminal, between 40 and 100, because longer lines are
// hard to read. COLUMNS has priority over what the terminal says.
std::size_t columns_of(const OutputFacts& facts);
std::size_t columns_of(int descriptor);

// True for a terminal, unless NO_COLOR is set to any text (https://no-color.org) or TERM is "dumb".
bool has_colours(const OutputFacts& facts);
bool has_colours(int descriptor);

// Says how messages to stderr look.
struct MessageStyle {
  std::size_t columns = usual_columns;  // of a line at most, where words allow it
  bool has_colours = false;
};
MessageStyle style_of(const OutputFacts& facts);

enum class Emphasis { strong, warning, error };
// Returns the text in bold, yellow or red.
std::string emphasised(std::string_view text, Emphasis emphasis);

}  // namespace cnnplan
