// A parser callback that knows where it is.
#include "planner/model/json_parser.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

using nlohmann::json;

// Deeper than any file of ours, and shallow enough for every recursive walk.
constexpr std::size_t max_depth = 64;
// Characters before an error that the message repeats.
constexpr std::size_t excerpt_length = 24;

// Follows the parser's events and keeps the pointer of the value that comes next.
class Tracker {
 public:
  explicit Tracker(const std::string& file) : file_(file) {}

  void operator()(json::parse_event_t event, const json& parsed) {
    switch (event) {
      case json::parse_event_t::key:
        take_key(parsed.get_ref<const std::string&>());
        break;
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        open(event == json::parse_event_t::array_start);
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        containers_.pop_back();
        next_entry();
        break;
      case json::parse_event_t::value:
        next_entry();
        break;
    }
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

  void open(bool is_array) {
    if (containers_.size() == max_depth) {
      refuse("a list or object inside " + std::to_string(max_depth) + " others",
             "at most " + std::to_string(max_depth) + " levels");
    }
    containers_.push_back({.is_array = is_array, .index = 0, .key = {}, .keys = {}});
  }
  void take_key(const std::string& key) {
    Container& object = containers_.back();
    object.key = key;
    if (!object.keys.insert(key).second) refuse("the key a second time", "each key once");
  }
  void next_entry() {
    if (!containers_.empty()) ++containers_.back().index;
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

// What the library says after its "[...] parse error at line 1, column 2: ".
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
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<long>(line_begin), '\n') + 1;
  const std::size_t begin = std::max(line_begin, end - std::min(end, excerpt_length));
  const bool at_end = error.byte > text.size();
  return {.file = {},
          .pointer =
              "line " + std::to_string(line) + ", column " + std::to_string(last - line_begin + 1),
          .value = (at_end ? "the end of the file after '" : "'") +
                   printable(text.substr(begin, end - begin)) + "'",
          .allowed = "JSON (" + reason(error) + ")"};
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

json parse_json(std::string_view text, const std::string& file) {
  Tracker tracker(file);
  const auto callback = [&tracker](int, json::parse_event_t event, const json& parsed) {
    tracker(event, parsed);
    return true;
  };
  try {
    return json::parse(text, callback);
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
