// Follows the events of the library's parser, so that refusals can name the place.
#include "planner/json/json_parser.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

using nlohmann::json;

// No file of this program is deeper, and recursive walks of this depth fit on the stack.
constexpr std::size_t max_depth = 64;
// A message repeats this many characters before an error.
constexpr std::size_t excerpt_length = 24;

// Follows the parser's events and keeps the pointer of the value that comes next.
class Tracker final : public nlohmann::json_sax<json> {
 public:
  explicit Tracker(const std::string& file) : file_(file) {}

  bool null() override { return next_entry(); }
  bool boolean(bool) override { return next_entry(); }
  bool number_integer(std::int64_t) override { return next_entry(); }
  bool number_unsigned(std::uint64_t) override { return next_entry(); }
  bool number_float(double, const std::string&) override { return next_entry(); }
  bool string(std::string&) override { return next_entry(); }
  bool binary(json::binary_t&) override { return next_entry(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& key) override;
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

  std::string pointer() const {
    std::string pointer;
    for (const Container& container : containers_) {
      const bool in_array = container.is_array;
      pointer = join_pointer(pointer, in_array ? std::to_string(container.index) : container.key);
    }
    return pointer;
  }

 private:
  struct Container {
    bool is_array = false;
    std::size_t index = 0;
    std::string key;
    std::set<std::string> keys;
  };

  bool open(bool is_array);
  bool close() {
    containers_.pop_back();
    return next_entry();
  }
  bool next_entry() {
    if (!containers_.empty()) ++containers_.back().index;
    return true;
  }
  [[noreturn]] void refuse(std::string value, std::string allowed) const {
    throw InputError({.file = file_,
                      .pointer = pointer(),
                      .value = std::move(value),
                      .allowed = std::move(allowed)});
  }

  const std::string& file_;
  std::vector<Container> containers_;
};

bool Tracker::key(std::string& key) {
  Container& object = containers_.back();
  object.key = key;
  if (!object.keys.insert(key).second) refuse("the key a second time", "each key once");
  return true;
}

bool Tracker::open(bool is_array) {
  if (containers_.size() == max_depth) {
    refuse("a list or object inside " + std::to_string(max_depth) + " others",
           "at most " + std::to_string(max_depth) + " levels");
  }
  containers_.push_back({.is_array = is_array, .index = 0, .key = {}, .keys = {}});
  return true;
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= 0x20 && byte < 0x7f) {
      text += byte;
    } else {
      std::array<char, 5> code{};
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(byte));
      text += code.data();
    }
  }
  return text;
}

// Returns the library's message after its "[...] parse error at line 1, column 2: ".
std::string reason(const json::parse_error& error) {
  const std::string_view message = error.what();
  const std::size_t column = message.find("column ");
  const std::size_t begin = column == std::string_view::npos ? column : message.find(": ", column);
  return printable(begin == std::string_view::npos ? message : message.substr(begin + 2));
}

InputProblem problem_of(const json::parse_error& error, std::string_view text) {
  const std::size_t end = std::min(text.size(), error.byte);
  const std::size_t last = error.byte == 0 ? 0 : std::min(text.size(), error.byte - 1);
  const std::size_t newline = last == 0 ? text.npos : text.rfind('\n', last - 1);
  const std::size_t line_begin = newline == text.npos ? 0 : newline + 1;
  const auto line = std::count(text.begin(), text.begin() + line_begin, '\n') + 1;
  const std::size_t begin = std::max(line_begin, end - std::min(end, excerpt_length));
  const bool at_end = error.byte > text.size();
  return {.file = {},
          .pointer =
              "line " + std::to_string(line) + ", column " + std::to_string(last - line_begin + 1),
          .value = (at_end ? "the end of the file after '" : "'") +
                   printable(text.substr(begin, end - begin)) + "'",
          .allowed = "JSON (" + reason(error) + ")"};
}

bool may_be_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '{' || text[first] == '[';
}

}  // namespace

std::string join_pointer(const std::string& pointer, std::string_view key) {
  std::string joined = pointer + '/';
  for (const char c : key) {
    if (c == '~') {
      joined += "~0";
    } else if (c == '/') {
      joined += "~1";
    } else {
      joined += c;
    }
  }
  return joined;
}

json parse_json(std::string_view content, const std::string& file) {
  const std::string_view text = without_byte_order_mark(content);
  if (!may_be_json(text) && file.ends_with(".onnx")) {
    throw InputError({.file = file,
                      .pointer = "",
                      .value = "an ONNX model",
                      .allowed = "JSON; make a plan of a model with: cnnplan solve " + file});
  }
  // There are two passes, because the library's parser with a callback is slow: after each object,
  // it looks at all entries of the list around it.
  Tracker tracker(file);
  json::sax_parse(text, &tracker);
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    InputProblem problem = problem_of(error, text);
    problem.file = file;
    throw InputError(std::move(problem));
  } catch (const json::out_of_range& error) {
    throw InputError({.file = file,
                      .pointer = tracker.pointer(),
                      .value = printable(error.what()),
                      .allowed = "numbers that a double can hold"});
  }
}

}  // namespace cnnplan
