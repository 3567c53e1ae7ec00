// Reads the list of layers of a network file, entry by entry.
#include "planner/network/layer_list_json.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/similar_names.hpp"
#include "planner/network/layer_json.hpp"

namespace cnnplan {
namespace {

// This name stands for the layer listed before.
constexpr std::string_view previous_name = "prev";
// This name stands for the layer that a repetition begins with.
constexpr std::string_view repeat_input_name = "repeat_input";
constexpr IntegerRange repeat_range{1, max_layers};

// Holds one repetition of a group of layers.
struct Repetition {
  std::string prefix;  // of the names of its layers: "res_7_"
  std::string input;   // the layer before the repetition; empty where there is none
};

// The spatial lists of a network have as many entries as the size of its input.
SpatialFormat format_of(const JsonReader& layer) {
  const JsonReader size = layer.at("size");
  return {.entries = size.is_list() ? size.entries({2, 3}).size() : 2};
}

// Returns the number of layers that an entry stands for. A repeat stands for all its repetitions.
std::int64_t layer_count(const JsonReader& entry) {
  if (!entry.has("repeat")) return 1;
  const std::int64_t repetitions = entry.at("repeat").integer(repeat_range);
  return checked_multiply(repetitions, std::ssize(entry.at("layers").entries({.minimum = 1})));
}

// @throws InputError where the entries stand for more than max_layers
void check_count(const std::vector<JsonReader>& entries) {
  std::int64_t count = 0;
  for (const JsonReader& entry : entries) {
    count = checked_add(count, layer_count(entry));
    if (count <= max_layers) continue;
    const JsonReader place = entry.has("repeat") ? entry.at("repeat") : entry;
    refuse_value(place,
                 std::to_string(count) + " layers with those before",
                 "at most " + std::to_string(max_layers) + " layers in a network");
  }
}

class ListReader {
 public:
  void read(const JsonReader& entry) {
    entry.has("repeat") ? read_repeat(entry) : read_layer(entry, nullptr);
  }
  LayerList list() && { return std::move(list_); }

 private:
  void read_repeat(const JsonReader& entry);
  void read_layer(const JsonReader& entry, const Repetition* repetition);
  std::vector<std::string> read_inputs(const JsonReader& entry,
                                       const LayerParameters& parameters,
                                       const Repetition* repetition) const;
  std::string read_input(const JsonReader& reader, const Repetition* repetition) const;
  std::string previous() const { return list_.layers.empty() ? "" : list_.layers.back().name; }

  LayerList list_;
  std::unordered_set<std::string> names_;  // a set, since lists have thousands of layers
  SpatialFormat format_;
};

void ListReader::read_repeat(const JsonReader& entry) {
  entry.allow_keys({"repeat", "name", "layers"});
  const std::string name = entry.at("name").name();
  if (name.find('/') != std::string::npos) entry.at("name").refuse("a name without \"/\"");
  const std::vector<JsonReader> body = entry.at("layers").entries();
  const std::int64_t repetitions = entry.at("repeat").integer(repeat_range);
  for (std::int64_t i = 1; i <= repetitions; ++i) {
    const Repetition repetition{.prefix = name + '_' + std::to_string(i) + '_',
                                .input = previous()};
    for (const JsonReader& layer : body) {
      if (layer.has("repeat")) layer.at("repeat").refuse("a layer: repeats hold no repeats");
      read_layer(layer, &repetition);
    }
  }
}

void ListReader::read_layer(const JsonReader& entry, const Repetition* repetition) {
  const bool is_input = entry.at("kind").text() == kind_name(Input{});
  if (is_input && entry.has("size")) format_ = format_of(entry);
  const JsonReader name_reader = entry.at("name");
  std::string name = name_reader.name();
  if (std::find(reserved_names.begin(), reserved_names.end(), name) != reserved_names.end()) {
    name_reader.refuse("a name other than \"" + name + '"');
  }
  if (repetition != nullptr) name.insert(0, repetition->prefix);
  const LayerParameters parameters = read_layer_parameters(entry, format_);
  if (names_.contains(name))
    refuse_value(name_reader, '"' + name + '"', "a name that no other layer has");
  std::vector<std::string> inputs = read_inputs(entry, parameters, repetition);
  names_.insert(name);
  list_.layers.push_back({.name = name, .inputs = std::move(inputs), .parameters = parameters});
  list_.pointers.push_back(entry.pointer());
}

std::vector<std::string> ListReader::read_inputs(const JsonReader& entry,
                                                 const LayerParameters& parameters,
                                                 const Repetition* repetition) const {
  const IntegerRange& count = traits_of(parameters).inputs;
  if (count.maximum == 0) return {};
  if (has_several_inputs(parameters)) {
    std::vector<std::string> names;
    for (const JsonReader& input : entry.at("inputs").entries(count)) {
      names.push_back(read_input(input, repetition));
    }
    return names;
  }
  if (entry.has("input")) return {read_input(entry.at("input"), repetition)};
  if (list_.layers.empty()) entry.at("kind").refuse("\"input\" for the first layer");
  return {previous()};
}

// A name in a repetition means a layer of the repetition first, then a layer outside.
std::string ListReader::read_input(const JsonReader& reader, const Repetition* repetition) const {
  std::string name = reader.name();
  if (name == previous_name && !list_.layers.empty()) return previous();
  if (repetition != nullptr) {
    if (name == repeat_input_name && !repetition->input.empty()) return repetition->input;
    if (names_.contains(repetition->prefix + name)) return repetition->prefix + name;
  }
  if (names_.contains(name)) return name;
  std::vector<std::string> names;
  for (const Layer& layer : list_.layers) names.push_back(layer.name);
  reader.refuse("the name of a layer listed before" + did_you_mean(name, names));
}

}  // namespace

LayerList read_layers(const JsonReader& list) {
  const std::vector<JsonReader> entries = list.entries({.minimum = 1});
  check_count(entries);
  ListReader reader;
  for (const JsonReader& entry : entries) reader.read(entry);
  return std::move(reader).list();
}

}  // namespace cnnplan
