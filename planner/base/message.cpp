// Tells commands from text by their indent.
#include "planner/base/message.hpp"

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include <unistd.h>

#include "planner/base/wrapped_text.hpp"

namespace cnnplan {
namespace {

constexpr std::string_view indent = command_line.substr(1);

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns the words of a command. An option and its value are one, and so is a quoted text.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  bool takes_value = false;
  bool is_quoted = false;
  for (const std::string_view word : split(command, ' ')) {
    const bool is_option = word.starts_with('-') && !is_quoted;
    if (is_quoted || (takes_value && !is_option)) {
      words.back().append(" ").append(word);
    } else {
      words.emplace_back(word);
    }
    takes_value = is_option;
    const bool turns = std::count(word.begin(), word.end(), '\'') % 2 == 1;
    is_quoted = turns != is_quoted;
  }
  return words;
}

std::string command_text(std::string_view command, std::size_t columns) {
  constexpr std::string_view goes_on = " \\";
  std::string text;
  std::string line(indent);
  bool is_empty = true;
  for (const std::string& word : words_of(command)) {
    if (!is_empty && line.size() + 1 + word.size() + goes_on.size() > columns) {
      text.append(line).append(goes_on).append("\n");
      line = std::string(2 * indent.size(), ' ');
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  return text + line + '\n';
}

// The later lines of a paragraph are indented.
std::string paragraph(std::string_view text, std::size_t columns) {
  if (text.size() <= columns) return std::string(text) + '\n';
  const std::string lead(text.find_first_not_of(' '), ' ');
  const std::string words = wrapped(text, std::string::npos).front();  // one space apart
  const std::string first = wrapped(words, columns - lead.size()).front();
  const std::string rest = words.substr(first.size());
  return lead + first + '\n' + (rest.empty() ? "" : indented(rest, indent.size(), columns));
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

std::string message_text(std::string_view message, std::size_t columns) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  const std::vector<std::string_view> lines = split(message, '\n');
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(indent)) {
      text += command_text(lines[i].substr(indent.size()), columns);
      continue;
    }
    const bool leads = i + 1 < lines.size() && lines[i + 1].starts_with(indent);
    const std::string_view command = leads ? lines[i + 1].substr(indent.size()) : "";
    if (leads && lines[i].size() + 1 + command.size() <= columns) {
      text.append(lines[i]).append(" ").append(command).append("\n");
      ++i;
    } else {
      text += paragraph(lines[i], columns);
    }
  }
  return text;
}

MessageStyle stderr_style() {
  return style_of(output_facts(STDERR_FILENO));
}

void print_note(std::string_view message, const MessageStyle& style) {
  if (!message.empty()) std::cerr << message_text(message, style.columns) << std::flush;
}

void print_warning(std::string_view message, const MessageStyle& style) {
  const std::string text = message_text(message, style.columns);
  std::cerr << (style.has_colours ? emphasised(text, Emphasis::warning) : text) << std::flush;
}

void print_error(std::string_view program, std::string_view message, const MessageStyle& style) {
  std::string text = std::string(program) + ": " + std::string(message);
  text = message_text(text, style.columns);
  if (style.has_colours) {
    text.replace(
        0, program.size() + 1, emphasised(text.substr(0, program.size() + 1), Emphasis::error));
  }
  std::cerr << text << std::flush;
}

}  // namespace cnnplan
