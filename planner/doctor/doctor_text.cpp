// Puts findings into columns: the part, the name, and the text with its remedy below.
#include "planner/doctor/doctor_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "planner/base/wrapped_text.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t name_column = 10;
constexpr std::size_t text_column = 27;
constexpr std::size_t remedy_column = 4;

std::vector<std::string> names_in(const std::vector<Finding>& findings, FindingState state) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    if (finding.state == state) names.push_back(finding.name);
  }
  return names;
}

// Returns "a", "a and b", or "a, b and c".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* const before = i + 1 == names.size() ? " and " : ", ";
    text += (i == 0 ? "" : before) + names[i];
  }
  return text;
}

// Texts may come from other programs, whose control characters would reach the terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(),
      text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      '?');
  return text;
}

// Breaks words that no line can hold.
std::string with_short_words(const std::string& text, std::size_t most) {
  std::string result;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == ' ' ? 0 : length + 1;
    if (length > most) {
      result += '\n';
      length = 1;
    }
    result += c;
  }
  return result;
}

// Returns the words before a text that say that something is to be done.
std::string_view prefix_of(FindingState state) {
  if (state == FindingState::missing) return "MISSING: ";
  return state == FindingState::advice ? "advice: " : "";
}

// Returns the lines of a finding. The part is shown where it differs from the one above.
std::string rows_of(const Finding& finding, bool shows_part, std::size_t columns) {
  std::string head = shows_part ? printable(finding.part) : "";
  head.resize(std::max(head.size() + 1, name_column), ' ');
  head += printable(finding.name);
  head.resize(std::max(head.size() + 1, text_column), ' ');
  const std::string text = std::string(prefix_of(finding.state)) + printable(finding.text);
  std::string lines = indented(with_short_words(text, columns - text_column), text_column, columns);
  if (head.size() == text_column) {
    lines.replace(0, text_column, head);
  } else {
    head.erase(head.find_last_not_of(' ') + 1);
    lines.insert(0, head + '\n');
  }
  if (!finding.remedy.empty()) {
    lines.append(remedy_column, ' ').append("$ ").append(printable(finding.remedy)).append("\n");
  }
  return lines;
}

}  // namespace

int missing_count(const std::vector<Finding>& findings) {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.state == FindingState::missing;
      }));
}

std::string answer_of(const std::vector<Finding>& findings) {
  const std::vector<std::string> missing = names_in(findings, FindingState::missing);
  const std::vector<std::string> advice = names_in(findings, FindingState::advice);
  std::string text = "Everything that this machine can run is there.";
  if (missing.size() == 1) text = "1 thing is missing: " + listed(missing) + '.';
  if (missing.size() > 1) {
    text = std::to_string(missing.size()) + " things are missing: " + listed(missing) + '.';
  }
  if (!advice.empty()) text += " There is advice about " + listed(advice) + '.';
  return printable(text);
}

std::string to_text(const std::vector<Finding>& findings, std::size_t columns) {
  std::string text = indented(answer_of(findings), 0, columns) + '\n';
  std::string_view part;
  for (const Finding& finding : findings) {
    text += rows_of(finding, finding.part != part, columns);
    part = finding.part;
  }
  return text;
}

}  // namespace cnnplan
