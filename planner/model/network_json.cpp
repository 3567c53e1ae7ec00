// Network files.
#include "planner/model/network_json.hpp"

#include <algorithm>

#include "planner/model/file.hpp"
#include "planner/model/json_writer.hpp"
#include "planner/model/layer_json.hpp"

namespace cnnplan {
namespace {

// Stands for the layer listed before, so no layer may be called so.
constexpr std::string_view previous_name = "prev";
constexpr IntegerRange add_input_count{2, 2};
constexpr IntegerRange concat_input_count{.minimum = 2};

bool is_listed(const std::vector<Layer>& layers, const std::string& name) {
  return std::any_of(
      layers.begin(), layers.end(), [&name](const Layer& layer) { return layer.name == name; });
}

// "prev" becomes the name of the layer listed before.
std::string read_input_name(const JsonReader& reader, const std::vector<Layer>& before) {
  std::string name = reader.name();
  if (name == previous_name && !before.empty()) return before.back().name;
  if (!is_listed(before, name)) reader.refuse("the name of a layer listed before");
  return name;
}

std::vector<std::string> read_inputs(const JsonReader& layer,
                                     const LayerParameters& parameters,
                                     const std::vector<Layer>& before) {
  if (std::holds_alternative<Input>(parameters)) return {};
  if (has_several_inputs(parameters)) {
    const bool is_add = std::holds_alternative<Add>(parameters);
    std::vector<std::string> names;
    for (const JsonReader& entry :
         layer.at("inputs").entries(is_add ? add_input_count : concat_input_count)) {
      names.push_back(read_input_name(entry, before));
    }
    return names;
  }
  if (layer.has("input")) return {read_input_name(layer.at("input"), before)};
  if (before.empty()) layer.at("kind").refuse("\"input\" for the first layer");
  return {before.back().name};
}

Layer read_layer(const JsonReader& reader, SpatialFormat format, const std::vector<Layer>& before) {
  Layer layer{.name = reader.at("name").name(),
              .inputs = {},
              .parameters = read_layer_parameters(reader, format)};
  if (layer.name == previous_name) reader.at("name").refuse("a name other than \"prev\"");
  if (is_listed(before, layer.name)) reader.at("name").refuse("a name that no other layer has");
  layer.inputs = read_inputs(reader, layer.parameters, before);
  return layer;
}

// As many entries as the size of the input has.
SpatialFormat format_of(const JsonReader& layer) {
  const JsonReader size = layer.at("size");
  return {.entries = size.is_list() ? size.entries({2, 3}).size() : 2};
}

SpatialFormat format_of(const Network& network) {
  const auto has_depth = [](const Layer& layer) {
    if (const auto* input = std::get_if<Input>(&layer.parameters)) return input->size[0] != 1;
    if (const auto* convolution = std::get_if<Convolution>(&layer.parameters)) {
      return convolution->window.dims[0] != WindowDim{};
    }
    const auto* pooling = std::get_if<Pooling>(&layer.parameters);
    return pooling != nullptr && pooling->window.dims[0] != WindowDim{};
  };
  const std::vector<Layer>& layers = network.layers();
  return {.entries = std::any_of(layers.begin(), layers.end(), has_depth) ? 3U : 2U};
}

OrderedJson layer_to_json(const Layer& layer, const Layer* before, SpatialFormat format) {
  OrderedJson json;
  json["name"] = layer.name;
  json["kind"] = kind_name(layer.parameters);
  if (has_several_inputs(layer.parameters)) {
    json["inputs"] = layer.inputs;
  } else if (layer.inputs.size() == 1 && (before == nullptr || before->name != layer.inputs[0])) {
    json["input"] = layer.inputs[0];
  }
  add_layer_parameters(json, layer.parameters, format);
  return json;
}

}  // namespace

Network network_from_json(const JsonReader& root) {
  root.allow_keys({"schema", "generator", "name", "layers"});
  std::vector<Layer> layers;
  SpatialFormat format;
  for (const JsonReader& reader : root.at("layers").entries({.minimum = 1})) {
    if (reader.has("size")) format = format_of(reader);
    layers.push_back(read_layer(reader, format, layers));
  }
  try {
    return Network(root.at("name").name(), std::move(layers), root.file());
  } catch (const InputError& error) {
    InputProblem problem = error.problem();
    problem.pointer = root.pointer() + problem.pointer;
    throw InputError(std::move(problem));
  }
}

void add_network(OrderedJson& document, const Network& network) {
  const SpatialFormat format = format_of(network);
  document["name"] = network.name();
  document["layers"] = OrderedJson::array();
  const Layer* before = nullptr;
  for (const Layer& layer : network.layers()) {
    document["layers"].push_back(layer_to_json(layer, before, format));
    before = &layer;
  }
}

Network parse_network(std::string_view json, const std::string& file) {
  const JsonDocument document(json, file, "network");
  return network_from_json(document.root());
}

Network read_network(const std::string& file) {
  return parse_network(read_file(file), file);
}

std::string to_json(const Network& network) {
  OrderedJson document = new_document("network");
  add_network(document, network);
  return write_json(document);
}

}  // namespace cnnplan
