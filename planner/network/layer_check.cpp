// Names by rule, inputs by number.
#include "planner/network/layer_check.hpp"

#include <algorithm>
#include <variant>

namespace cnnplan {
namespace {

// How many inputs a layer has; of a concat, at least.
std::size_t input_count(const LayerParameters& parameters) {
  if (std::holds_alternative<Input>(parameters)) return 0;
  return has_several_inputs(parameters) ? 2 : 1;
}

bool has_valid_input_count(const Layer& layer) {
  const std::size_t count = input_count(layer.parameters);
  const bool open = std::holds_alternative<Concat>(layer.parameters);
  return layer.inputs.size() == count || (open && layer.inputs.size() > count);
}

}  // namespace

std::string inputs_key(const Layer& layer) {
  return has_several_inputs(layer.parameters) ? "inputs" : "input";
}

void check_name_and_inputs(const Layer& layer,
                           const std::map<std::string, LayerIndex, std::less<>>& earlier,
                           const LayerPlace& place) {
  if (layer.name.empty() || layer.name.find('/') != std::string::npos) {
    place.refuse("name", '"' + layer.name + '"', "a name that is not empty and has no \"/\"");
  }
  if (std::find(reserved_names.begin(), reserved_names.end(), layer.name) != reserved_names.end()) {
    place.refuse("name",
                 '"' + layer.name + '"',
                 "a name other than \"prev\", \"reduce\", \"repeat_input\" and \"sgd\", which have "
                 "a meaning");
  }
  if (layer.name == "loss" && !is_loss(layer.parameters)) {
    place.refuse("name", "\"loss\"", "another name: files call the loss so");
  }
  if (earlier.contains(layer.name)) {
    place.refuse("name", '"' + layer.name + '"', "a name that no other layer has");
  }
  if (!has_valid_input_count(layer)) {
    const bool open = std::holds_alternative<Concat>(layer.parameters);
    place.refuse(inputs_key(layer),
                 std::to_string(layer.inputs.size()) + " inputs",
                 (open ? "at least " : "") + std::to_string(input_count(layer.parameters)) +
                     " for " + std::string(kind_name(layer.parameters)));
  }
}

}  // namespace cnnplan
