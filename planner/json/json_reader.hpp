// Reads typed values from a JSON document, and throws InputError for values that are not allowed. A
// reader knows its place in the document, so an error names the file, the JSON pointer, the found
// value and the allowed values.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/base/enumerators.hpp"
#include "planner/base/error.hpp"
#include "planner/base/number_range.hpp"

namespace cnnplan {

// Files may hold these numbers of ranks.
inline constexpr IntegerRange ranks_range{1, 1048576};
// No machine reaches the maxima, so sums and products of the numbers in files stay finite.
inline constexpr IntegerRange bytes_range{0, std::int64_t{1} << 60};
inline constexpr NumberRange seconds_range{.minimum = 0.0, .maximum = 1e9};
inline constexpr NumberRange seconds_per_byte_range{.minimum = 0.0, .maximum = 1.0};

// True for the types of integers that JsonReader::integer is instantiated for.
template <typename T>
concept FieldInteger =
    std::same_as<T, int> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

class JsonReader;
// Both functions throw an InputError with the place of the reader. refuse_value() names `value` as
// the value at this place, and `allowed` says in words what may stand there.
[[noreturn]] void refuse_value(const JsonReader& reader, std::string value, std::string allowed);
// Lists `names` as the allowed values, and suggests the one most similar to the found text.
[[noreturn]] void refuse_name(const JsonReader& reader, const std::vector<std::string>& names);

// Reads the value at one place of a document. Every function that returns a value of a certain type
// throws InputError if the place has nothing, or a value of another type or out of range.
class JsonReader {
 public:
  // Keeps references to `value`, which is null if the document has nothing at `pointer`, and to
  // `file`.
  JsonReader(const nlohmann::json* value, const std::string& file, std::string pointer)
      : value_(value), file_(&file), pointer_(std::move(pointer)) {}

  const std::string& file() const { return *file_; }
  const std::string& pointer() const { return pointer_; }

  // The following functions read objects. allow_keys() refuses every key that is not listed.
  void allow_keys(std::span<const std::string_view> keys) const;
  void allow_keys(std::initializer_list<std::string_view> keys) const;
  // Returns false for a value that is no object.
  bool has(std::string_view key) const;
  // Returns the reader of a key. A missing key is refused only when its value is read. A value that
  // is no object is refused at once.
  JsonReader at(std::string_view key) const;
  // Returns all keys with the readers of their values.
  std::vector<std::pair<std::string, JsonReader>> members() const;
  // The following functions read lists. entries() refuses a list of a length outside of `count`.
  bool is_list() const;
  std::vector<JsonReader> entries(const IntegerRange& count = {}) const;
  // The following functions read scalars. A number such as 4.0 is an integer, too.
  // @pre `range` fits into the type
  template <FieldInteger Integer = std::int64_t>
  Integer integer(const IntegerRange& range) const;
  double number(const NumberRange& range) const;
  bool boolean() const;
  std::string text() const;
  std::string name() const;  // text that is not empty
  bool is_string() const;
  bool is_text(std::string_view text) const;
  // Returns the enumerator that a string names. @pre E has Enumerators
  template <typename E>
  E enumerator() const;

  // These functions read the value of a key into `field`, and leave `field` as it is where the key
  // is missing. @pre `range` fits into the field
  template <FieldInteger Integer>
  void read(std::string_view key, Integer& field, const IntegerRange& range) const;
  void read(std::string_view key, double& field, const NumberRange& range) const;
  void read(std::string_view key, bool& field) const;
  void read(std::string_view key, std::string& field) const;
  template <typename E>
  void read_enumerator(std::string_view key, E& field) const;

  // Returns the result of `function`. An InputError of it that names no place gets the place of
  // this reader.
  template <typename Function>
  auto locate(Function&& function) const;
  // Throws an InputError that shows the value at this place and says what is allowed there.
  [[noreturn]] void refuse(std::string allowed) const;

 private:
  const nlohmann::json* value_;
  const std::string* file_;
  std::string pointer_;
};

// Holds a parsed document of one kind. Its readers must not outlive it.
class JsonDocument {
 public:
  // @throws InputError for malformed JSON, and for a "schema" of another kind or of a number that
  // is not read (schema_kind.hpp)
  JsonDocument(std::string_view text, std::string file, std::string_view kind);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();
  JsonReader root() const;
  // Returns the number in "schema": 2 for "cnnplan.plan/2".
  int schema() const { return schema_; }

 private:
  int schema_ = 1;
  std::string file_;
  std::unique_ptr<nlohmann::json> value_;
};

// Returns the number in "schema". @throws InputError for an object that is not of this kind
int check_schema(const JsonReader& root, std::string_view kind);

template <typename E>
E JsonReader::enumerator() const {
  std::vector<std::string> names;
  for (const E value : Enumerators<E>::all) {
    if (is_text(name_of(value))) return value;
    names.emplace_back(name_of(value));
  }
  refuse_name(*this, names);
}

template <FieldInteger Integer>
void JsonReader::read(std::string_view key, Integer& field, const IntegerRange& range) const {
  if (has(key)) field = at(key).integer<Integer>(range);
}

template <typename E>
void JsonReader::read_enumerator(std::string_view key, E& field) const {
  if (has(key)) field = at(key).enumerator<E>();
}

template <typename Function>
auto JsonReader::locate(Function&& function) const {
  try {
    return function();
  } catch (const InputError& error) {
    if (!error.problem().pointer.empty()) throw;
    refuse_value(*this, error.problem().value, error.problem().allowed);
  }
}

}  // namespace cnnplan
