// Checks the values of a JSON document while they are read.
#include "planner/json/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "planner/base/similar_names.hpp"
#include "planner/json/json_parser.hpp"
#include "planner/json/schema_kind.hpp"

namespace cnnplan {
namespace {

using nlohmann::json;

// A message shows at most this many characters of a found value.
constexpr std::size_t max_found_length = 60;
// Above this limit, not every double is the integer that was written.
constexpr double max_exact_integer = 9007199254740992.0;

std::string found_text(const json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_object()) return "an object";
  if (value->is_array()) return "a list of " + std::to_string(value->size());
  std::string text = value->dump();
  if (text.size() > max_found_length) text = text.substr(0, max_found_length) + "...";
  return text;
}

std::string list_text(std::span<const std::string_view> keys) {
  std::string text;
  for (const std::string_view key : keys) text += (text.empty() ? "" : ", ") + std::string(key);
  return text;
}

std::string number_text(double number) {
  return json(number).dump();
}

std::string range_text(const IntegerRange& range) {
  return "an integer from " + std::to_string(range.minimum) + " to " +
         std::to_string(range.maximum);
}

std::string range_text(const NumberRange& range) {
  const bool has_minimum = range.minimum > std::numeric_limits<double>::lowest();
  const bool has_maximum = range.maximum < std::numeric_limits<double>::max();
  std::string text = "a number";
  if (has_minimum) {
    text += (range.ends == Ends::open_below ? " above " : " from ") + number_text(range.minimum);
  }
  if (has_maximum) {
    text += (range.ends == Ends::open_above ? " to below " : " to ") + number_text(range.maximum);
  }
  return text;
}

// 4.0 is an integer, as in JSON Schema.
bool is_integral(const json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const auto number = value.get<double>();
  return std::trunc(number) == number && std::abs(number) <= max_exact_integer;
}

bool holds(const IntegerRange& range, const json& value) {
  if (!is_integral(value)) return false;
  if (value.is_number_unsigned() && std::cmp_greater(value.get<std::uint64_t>(), range.maximum)) {
    return false;
  }
  return range.holds(value.get<std::int64_t>());
}

}  // namespace

void JsonReader::allow_keys(std::initializer_list<std::string_view> keys) const {
  allow_keys(std::span(keys.begin(), keys.size()));
}

void JsonReader::allow_keys(std::span<const std::string_view> keys) const {
  if (value_ == nullptr || !value_->is_object()) {
    refuse("an object with keys of " + list_text(keys));
  }
  for (const auto& [key, entry] : value_->items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      at(key).refuse("the unknown key \"" + key + '"',
                     "keys of " + list_text(keys) + did_you_mean(key, {keys.begin(), keys.end()}));
    }
  }
}

bool JsonReader::has(std::string_view key) const {
  return value_ != nullptr && value_->is_object() && value_->contains(key);
}

JsonReader JsonReader::at(std::string_view key) const {
  if (value_ == nullptr || !value_->is_object()) refuse("an object");
  const auto found = value_->find(key);
  return {found == value_->end() ? nullptr : &*found, *file_, join_pointer(pointer_, key)};
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  if (value_ == nullptr || !value_->is_object()) refuse("an object");
  std::vector<std::pair<std::string, JsonReader>> members;
  for (const auto& [key, entry] : value_->items()) members.emplace_back(key, at(key));
  return members;
}

bool JsonReader::is_list() const {
  return value_ != nullptr && value_->is_array();
}

std::vector<JsonReader> JsonReader::entries(const IntegerRange& count) const {
  const std::int64_t size = is_list() ? value_->size() : 0;
  if (!is_list() || size < count.minimum || size > count.maximum) {
    refuse("a list of " + count_text(count) + " entries");
  }
  std::vector<JsonReader> entries;
  for (const json& entry : *value_) {
    entries.emplace_back(&entry, *file_, join_pointer(pointer_, std::to_string(entries.size())));
  }
  return entries;
}

template <FieldInteger Integer>
Integer JsonReader::integer(const IntegerRange& range) const {
  if (value_ == nullptr || !holds(range, *value_)) refuse(range_text(range));
  return value_->get<Integer>();
}
template int JsonReader::integer(const IntegerRange& range) const;
template std::int64_t JsonReader::integer(const IntegerRange& range) const;
template std::uint64_t JsonReader::integer(const IntegerRange& range) const;

double JsonReader::number(const NumberRange& range) const {
  if (value_ == nullptr || !value_->is_number() || !range.holds(value_->get<double>())) {
    refuse(range_text(range));
  }
  return value_->get<double>();
}

bool JsonReader::boolean() const {
  if (value_ == nullptr || !value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

std::string JsonReader::text() const {
  if (value_ == nullptr || !value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

std::string JsonReader::name() const {
  if (value_ == nullptr || !value_->is_string() || is_text("")) refuse("a string, not empty");
  return value_->get<std::string>();
}

void JsonReader::read(std::string_view key, double& field, const NumberRange& range) const {
  if (has(key)) field = at(key).number(range);
}

void JsonReader::read(std::string_view key, bool& field) const {
  if (has(key)) field = at(key).boolean();
}

void JsonReader::read(std::string_view key, std::string& field) const {
  if (has(key)) field = at(key).text();
}

void JsonReader::refuse(std::string allowed) const {
  refuse(found_text(value_), std::move(allowed));
}

void JsonReader::refuse(std::string value, std::string allowed) const {
  throw InputError({.file = *file_,
                    .pointer = pointer_,
                    .value = std::move(value),
                    .allowed = std::move(allowed)});
}

void refuse_name(const JsonReader& reader, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + '"';
  std::string found;
  try {
    found = reader.text();
  } catch (const InputError&) {
    reader.refuse("one of " + text);  // numbers, lists and objects have no similar names
  }
  reader.refuse("one of " + text + did_you_mean(found, names));
}

bool JsonReader::is_text(std::string_view text) const {
  return value_ != nullptr && value_->is_string() && value_->get_ref<const std::string&>() == text;
}

JsonDocument::JsonDocument(std::string_view text, std::string file, std::string_view kind)
    : file_(std::move(file)), value_(std::make_unique<json>(parse_json(text, file_))) {
  schema_ = check_schema(root(), kind);
}

JsonDocument::~JsonDocument() = default;

JsonReader JsonDocument::root() const {
  return {value_.get(), file_, ""};
}

int check_schema(const JsonReader& root, std::string_view kind) {
  const JsonReader schema = root.at("schema");
  const auto number = root.has("schema") ? schema_number(schema.text(), kind) : std::nullopt;
  if (!number) {
    const bool is_whole_file = root.pointer().empty() && root.has("schema");
    schema.refuse(schema_texts(kind) +
                  (is_whole_file ? wrong_kind_advice(schema.text(), kind, root.file()) : ""));
  }
  if (root.has("generator")) root.at("generator").text();
  return *number;
}

}  // namespace cnnplan
