// Prints a value on one line if it fits, else over several lines.
#include "planner/json/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "planner/base/error.hpp"
#include "planner/json/json_parser.hpp"
#include "planner/json/schema_kind.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t max_columns = 100;
constexpr std::size_t indentation = 2;

// Bytes that are no UTF-8 become U+FFFD, so that no name from outside can make a file unreadable.
// Counts do not go through dump(), which allocates several times for each value.
std::string scalar_text(const OrderedJson& value) {
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// Appends the value on one line. Returns false, with only the beginning appended, if the text gets
// longer than `most`.
bool append_line(const OrderedJson& value, std::size_t most, std::string& text) {
  if (!value.is_structured() || value.empty()) {
    text += scalar_text(value);
    return text.size() <= most;
  }
  text += value.is_object() ? '{' : '[';
  const char* between = "";
  for (const auto& [key, entry] : value.items()) {
    text += between;
    if (value.is_object()) text += scalar_text(key) + ": ";
    if (!append_line(entry, most, text)) return false;
    between = ", ";
  }
  text += value.is_object() ? '}' : ']';
  return text.size() <= most;
}

// The value begins in `column`, and its line is indented by `indent`.
void append_pretty(const OrderedJson& value,
                   std::size_t indent,
                   std::size_t column,
                   std::string& text) {
  const std::size_t begin = text.size();
  const bool is_short = !value.is_structured() || value.empty();
  if (is_short || column > 0) {
    const std::size_t most = begin + max_columns - 1 - std::min(column, max_columns - 1);
    if (append_line(value, most, text) || is_short) return;
    text.resize(begin);
  }
  const std::size_t inner = indent + indentation;
  text += value.is_object() ? "{\n" : "[\n";
  const char* between = "";
  for (const auto& [key, entry] : value.items()) {
    text += between;
    text.append(inner, ' ');
    const std::string label = value.is_object() ? scalar_text(key) + ": " : "";
    text += label;
    append_pretty(entry, inner, inner + label.size(), text);
    between = ",\n";
  }
  text += '\n';
  text.append(indent, ' ');
  text += value.is_object() ? '}' : ']';
}

bool is_finite(const OrderedJson& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  if (!value.is_structured()) return true;
  return std::all_of(value.begin(), value.end(), is_finite);
}

// Names the place of the first number that is not finite.
void check_each(const OrderedJson& value, const std::string& pointer) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw NotFiniteError(pointer + ": " + std::to_string(value.get<double>()) +
                         " cannot be written as JSON; allowed: finite numbers");
  }
  if (!value.is_structured()) return;
  for (const auto& [key, entry] : value.items()) check_each(entry, join_pointer(pointer, key));
}

void check_finite(const OrderedJson& document) {
  if (!is_finite(document)) check_each(document, "");
}

}  // namespace

OrderedJson new_document(std::string_view kind) {
  OrderedJson document;
  document["schema"] = schema_text(kind, newest_schema(kind));
  document["generator"] = "cnnplan " CNNPLAN_VERSION;
  return document;
}

std::string write_json(const OrderedJson& document) {
  check_finite(document);
  std::string text;
  append_pretty(document, 0, 0, text);
  text += '\n';
  return text;
}

std::string write_json_line(const OrderedJson& object) {
  check_finite(object);
  std::string text;
  append_line(object, std::numeric_limits<std::size_t>::max(), text);
  text += '\n';
  return text;
}

}  // namespace cnnplan
