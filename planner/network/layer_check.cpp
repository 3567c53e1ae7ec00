// Checks the names of layers and the number of their inputs.
#include "planner/network/layer_check.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace cnnplan {

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
  const LayerTraits& traits = traits_of(layer.parameters);
  const std::int64_t inputs = std::ssize(layer.inputs);
  if (!traits.inputs.holds(inputs)) {
    place.refuse(inputs_key(layer),
                 std::to_string(inputs) + " inputs",
                 count_text(traits.inputs) + " for " + std::string(traits.name));
  }
}

}  // namespace cnnplan
