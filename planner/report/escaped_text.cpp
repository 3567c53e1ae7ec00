// Replaces characters that have a meaning in XML or Markdown by references.
#include "planner/report/escaped_text.hpp"

#include <algorithm>
#include <cctype>

namespace cnnplan {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD
// UTF-8 of U+FFFE and U+FFFF, which no XML may hold.
constexpr std::string_view first_noncharacter = "\xEF\xBF\xBE";
constexpr std::string_view last_noncharacter = "\xEF\xBF\xBF";

std::string reference(char character) {
  return "&#" + std::to_string(static_cast<int>(character)) + ';';
}

bool is_ascii(char character) {
  return (character & 0x80) == 0;
}

bool is_control(char character) {
  return is_ascii(character) && std::iscntrl(character) != 0;
}

// Line breaks and tabs are the only control characters that XML may hold.
bool is_forbidden(char character) {
  constexpr std::string_view allowed = "\t\n\r\x7F";
  return is_control(character) && allowed.find(character) == std::string_view::npos;
}

}  // namespace

std::string xml_text(std::string_view text) {
  constexpr std::string_view special = "&<>\"'\t\n\r";
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view character = text.substr(i, first_noncharacter.size());
    if (character == first_noncharacter || character == last_noncharacter) {
      escaped += replacement;
      i += character.size() - 1;
    } else if (is_forbidden(text[i])) {
      escaped += replacement;
    } else {
      escaped += special.find(text[i]) == std::string_view::npos ? std::string(1, text[i])
                                                                 : reference(text[i]);
    }
  }
  return escaped;
}

std::string markdown_code(std::string_view text) {
  constexpr std::string_view plain = " -./,";
  std::string escaped = "<code>";
  for (const char character : text) {
    if (!is_ascii(character) || std::isalnum(character) != 0 ||
        plain.find(character) != std::string_view::npos) {
      escaped += character;
    } else {
      // A line break would end the row of a table.
      escaped += is_control(character) ? std::string(1, ' ') : reference(character);
    }
  }
  return escaped + "</code>";
}

}  // namespace cnnplan
