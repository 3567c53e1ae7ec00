// Asks the terminal and the environment.
#include "planner/base/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cnnplan {
namespace {

// Returns 0 for a text that is no positive number.
std::size_t number_in(const char* text) {
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

std::string_view code_of(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::strong:
      return "1";
    case Emphasis::warning:
      return "33";
    case Emphasis::error:
      return "31";
  }
  return "0";
}

}  // namespace

OutputFacts output_facts(int descriptor) {
  OutputFacts facts{.is_terminal = isatty(descriptor) == 1,
                    .columns = std::getenv("COLUMNS"),
                    .no_color = std::getenv("NO_COLOR"),
                    .term = std::getenv("TERM")};
  winsize size{};
  if (facts.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    facts.terminal_columns = size.ws_col;
  }
  return facts;
}

std::size_t columns_of(const OutputFacts& facts) {
  constexpr std::size_t least = 40;
  constexpr std::size_t most = 100;
  if (!facts.is_terminal) return usual_columns;
  std::size_t columns = number_in(facts.columns);
  if (columns == 0) columns = facts.terminal_columns;
  return columns == 0 ? usual_columns : std::clamp(columns, least, most);
}

std::size_t columns_of(int descriptor) {
  return columns_of(output_facts(descriptor));
}

bool has_colours(const OutputFacts& facts) {
  const bool is_refused = facts.no_color != nullptr && *facts.no_color != '\0';
  const bool is_dumb = facts.term == nullptr || std::string_view(facts.term) == "dumb";
  return facts.is_terminal && !is_refused && !is_dumb;
}

bool has_colours(int descriptor) {
  return has_colours(output_facts(descriptor));
}

MessageStyle style_of(const OutputFacts& facts) {
  return {.columns = columns_of(facts), .has_colours = has_colours(facts)};
}

std::string emphasised(std::string_view text, Emphasis emphasis) {
  return "\033[" + std::string(code_of(emphasis)) + 'm' + std::string(text) + "\033[0m";
}

}  // namespace cnnplan
