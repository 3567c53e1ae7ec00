// Lists, reads and writes the JSON keys of a layer, as its kind describes them
// (planner/network/rules/layer_fields.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/spatial_json.hpp"

namespace cnnplan {

// Lists the keys of a kind. The constructor takes the keys that come before them.
class FieldKeys {
 public:
  explicit FieldKeys(std::vector<std::string_view> keys) : keys_(std::move(keys)) {}
  const std::vector<std::string_view>& list() const { return keys_; }

  template <typename... Details>
  void required(std::string_view key, const Details&...) {
    keys_.push_back(key);
  }
  template <typename... Details>
  void optional(std::string_view key, const Details&...) {
    keys_.push_back(key);
  }
  template <typename Member>
  void enumerator(std::string_view key, Member, Written) {
    keys_.push_back(key);
  }
  template <typename Member>
  void required_sizes(std::string_view key, Member, const SpatialField&) {
    keys_.push_back(key);
  }
  template <typename Member>
  void optional_sizes(std::string_view key, Member, const SpatialField&) {
    keys_.push_back(key);
  }
  template <typename Member>
  void window(Member, DefaultStride) {
    keys_.insert(keys_.end(), window_keys.begin(), window_keys.end());
  }

 private:
  std::vector<std::string_view> keys_;
};

// Reads the keys of a kind into `layer`, which has the default values before.
// @throws InputError as JsonReader
template <typename Layer>
class FieldReader {
 public:
  FieldReader(const JsonReader& reader, SpatialFormat format, Layer& layer)
      : reader_(reader), format_(format), layer_(layer) {}

  void required(std::string_view key, std::int64_t Layer::*member, const IntegerRange& range) {
    layer_.*member = reader_.at(key).integer(range);
  }
  void required(std::string_view key, std::string Layer::*member) {
    layer_.*member = reader_.at(key).name();
  }
  void optional(std::string_view key, std::int64_t Layer::*member, const IntegerRange& range) {
    reader_.read(key, layer_.*member, range);
  }
  void optional(std::string_view key,
                double Layer::*member,
                const NumberRange& range,
                Written = Written::unless_default) {
    reader_.read(key, layer_.*member, range);
  }
  void optional(std::string_view key, bool Layer::*member) { reader_.read(key, layer_.*member); }
  template <typename E>
  void enumerator(std::string_view key, E Layer::*member, Written) {
    reader_.read_enumerator(key, layer_.*member);
  }
  void required_sizes(std::string_view key, Triple Layer::*member, const SpatialField& field) {
    layer_.*member = read_spatial(reader_.at(key), format_, field.range, field.without_depth);
  }
  void optional_sizes(std::string_view key, Triple Layer::*member, const SpatialField& field) {
    layer_.*member = field.defaults(format_.entries);
    if (reader_.has(key)) required_sizes(key, member, field);
  }
  void window(Window Layer::*member, DefaultStride stride) {
    layer_.*member = read_window(reader_, format_, stride);
  }

 private:
  const JsonReader& reader_;
  SpatialFormat format_;
  Layer& layer_;
};

// Finds out whether a layer has values in the dim d that a list of two entries would leave out.
template <typename Layer>
class FieldDepth {
 public:
  explicit FieldDepth(const Layer& layer) : layer_(layer) {}
  bool has_depth() const { return has_depth_; }

  template <typename... Details>
  void required(std::string_view, const Details&...) {}
  template <typename... Details>
  void optional(std::string_view, const Details&...) {}
  template <typename Member>
  void enumerator(std::string_view, Member, Written) {}
  void required_sizes(std::string_view, Triple Layer::*member, const SpatialField& field) {
    has_depth_ |= (layer_.*member)[0] != field.without_depth;
  }
  void optional_sizes(std::string_view key, Triple Layer::*member, const SpatialField& field) {
    required_sizes(key, member, field);
  }
  void window(Window Layer::*member, DefaultStride) {
    has_depth_ |= (layer_.*member).dims[0] != WindowDim{};
  }

 private:
  const Layer& layer_;
  bool has_depth_ = false;
};

// Writes the values of `layer` that differ from the defaults, and values that are always written.
template <typename Layer>
class FieldWriter {
 public:
  FieldWriter(nlohmann::ordered_json& json, SpatialFormat format, const Layer& layer)
      : json_(json), format_(format), layer_(layer) {}

  void required(std::string_view key, std::int64_t Layer::*member, const IntegerRange&) {
    add(key, layer_.*member);
  }
  void required(std::string_view key, std::string Layer::*member) { add(key, layer_.*member); }
  template <typename Value>
  void optional(std::string_view key,
                Value Layer::*member,
                const NumberRange& = {},
                Written written = Written::unless_default) {
    if (is_written(member, written)) add(key, layer_.*member);
  }
  void optional(std::string_view key, std::int64_t Layer::*member, const IntegerRange&) {
    if (is_written(member, Written::unless_default)) add(key, layer_.*member);
  }
  template <typename E>
  void enumerator(std::string_view key, E Layer::*member, Written written) {
    if (is_written(member, written)) add(key, to_text(layer_.*member));
  }
  void required_sizes(std::string_view key, Triple Layer::*member, const SpatialField&) {
    const Triple& sizes = layer_.*member;
    const auto first = sizes.end() - format_.entries;
    add(key, std::vector<std::int64_t>(first, sizes.end()));
  }
  void optional_sizes(std::string_view key, Triple Layer::*member, const SpatialField& field) {
    if (layer_.*member != field.defaults(format_.entries)) {
      add(key, spatial_to_json(layer_.*member, format_));
    }
  }
  void window(Window Layer::*member, DefaultStride stride) {
    add_window(json_, layer_.*member, format_, stride);
  }

 private:
  template <typename Value>
  bool is_written(Value Layer::*member, Written written) const {
    return written == Written::always || layer_.*member != defaults_.*member;
  }
  template <typename Value>
  void add(std::string_view key, const Value& value) {
    json_[std::string(key)] = value;
  }

  nlohmann::ordered_json& json_;
  SpatialFormat format_;
  const Layer& layer_;
  Layer defaults_;
};

}  // namespace cnnplan
