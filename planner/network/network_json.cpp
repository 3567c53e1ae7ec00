// Reads and writes network files.
#include "planner/network/network_json.hpp"

#include <algorithm>

#include "planner/base/file.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/network/layer_json.hpp"
#include "planner/network/layer_list_json.hpp"

namespace cnnplan {
namespace {

SpatialFormat format_of(const Network& network) {
  const auto is_deep = [](const Layer& layer) { return has_depth(layer.parameters); };
  const auto& layers = network.layers();
  return {.entries = std::any_of(layers.begin(), layers.end(), is_deep) ? 3U : 2U};
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

// Moves a problem of a layer from the number of the layer to its place in the file. A repetition
// has one place for many layers, so the name of the layer is added.
InputProblem placed(InputProblem problem, const JsonReader& root, const LayerList& list) {
  constexpr std::string_view start = "/layers/";
  if (!problem.pointer.starts_with(start)) {
    problem.pointer.insert(0, root.pointer());
    return problem;
  }
  const std::size_t end = std::min(problem.pointer.find('/', start.size()), problem.pointer.size());
  const LayerIndex layer(std::stoi(problem.pointer.substr(start.size(), end - start.size())));
  const std::string& pointer = list.pointers.at(layer);
  if (pointer.find(start, root.pointer().size() + start.size()) != std::string::npos) {
    problem.allowed += ", for \"" + list.layers[layer].name + '"';
  }
  problem.pointer.replace(0, end, pointer);
  return problem;
}

}  // namespace

Network network_from_json(const JsonReader& root) {
  root.allow_keys({"schema", "generator", "name", "layers"});
  const LayerList list = read_layers(root.at("layers"));
  try {
    return Network(root.at("name").name(), list.layers.elements(), root.file());
  } catch (const InputError& error) {
    throw InputError(placed(error.problem(), root, list));
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

Network read_embedded_network(const JsonReader& reader) {
  check_schema(reader, "network");
  return network_from_json(reader);
}

OrderedJson embedded_network(const Network& network) {
  OrderedJson json;
  json["schema"] = new_document("network")["schema"];
  add_network(json, network);
  return json;
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
