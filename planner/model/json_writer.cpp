// Pretty printing.
#include "planner/model/json_writer.hpp"

#include <cmath>

#include "planner/model/error.hpp"
#include "planner/model/json_parser.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t max_columns = 100;
constexpr std::size_t indentation = 2;

// Bytes that are no UTF-8 become U+FFFD: no name from outside can make a file unreadable.
std::string scalar_text(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string one_line(const OrderedJson& value) {
  if (!value.is_structured() || value.empty()) return scalar_text(value);
  std::string text;
  for (const auto& [key, entry] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += scalar_text(key) + ": ";
    text += one_line(entry);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

// `column` is where the value starts, `indent` where its line does.
std::string pretty(const OrderedJson& value, std::size_t indent, std::size_t column) {
  if (!value.is_structured() || value.empty()) return scalar_text(value);
  if (column > 0) {
    std::string line = one_line(value);
    if (column + line.size() < max_columns) return line;
  }
  const std::size_t inner = indent + indentation;
  std::string text;
  for (const auto& [key, entry] : value.items()) {
    const std::string label = value.is_object() ? scalar_text(key) + ": " : "";
    text += (text.empty() ? "\n" : ",\n") + std::string(inner, ' ') + label;
    text += pretty(entry, inner, inner + label.size());
  }
  text += '\n' + std::string(indent, ' ');
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

void check_finite(const OrderedJson& value, const std::string& pointer) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw NotFiniteError(pointer + ": " + std::to_string(value.get<double>()) +
                         " cannot be written as JSON; allowed: finite numbers");
  }
  if (!value.is_structured()) return;
  for (const auto& [key, entry] : value.items()) check_finite(entry, join_pointer(pointer, key));
}

}  // namespace

OrderedJson new_document(std::string_view kind) {
  OrderedJson document;
  document["schema"] = "cnnplan." + std::string(kind) + "/1";
  document["generator"] = "cnnplan " CNNPLAN_VERSION;
  return document;
}

std::string write_json(const OrderedJson& document) {
  check_finite(document, "");
  return pretty(document, 0, 0) + '\n';
}

}  // namespace cnnplan
