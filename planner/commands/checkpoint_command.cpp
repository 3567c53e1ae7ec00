// Lists the tensors that a training of the network saves.
#include "planner/commands/checkpoint_command.hpp"

#include <map>
#include <string_view>
#include <variant>

#include "planner/base/error.hpp"
#include "planner/run/checkpoint.hpp"
#include "planner/run/checkpoint_parts.hpp"
#include "planner/run/checkpoint_values.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

using Shapes = std::map<std::string, Shape>;

void add_parameter(Shapes& shapes, const std::string& layer, ParameterRole role, Shape shape) {
  const std::string name = "/" + layer + "/" + std::string(to_text(role));
  shapes[name] = shape;
  shapes[name + "_momentum"] = shape;
}

// Returns the shapes of all parameters, their momentum and running values, by name.
Shapes shapes_of(const Network& network) {
  Shapes shapes;
  for (const LayerIndex i : network.layers().indices()) {
    const Layer& layer = network.layer(i);
    const Shape by_channel{{1, 1, 1, 1, network.output_shape(i, 1)[Dim::c]}};
    if (std::holds_alternative<BatchNorm>(layer.parameters)) {
      add_parameter(shapes, layer.name, ParameterRole::scale, by_channel);
      add_parameter(shapes, layer.name, ParameterRole::shift, by_channel);
      for (const char* const values : {"/mean", "/variance"}) {
        shapes["/" + layer.name + values] = by_channel;
      }
    } else if (mixes_channels(layer.parameters)) {
      add_parameter(shapes, layer.name, ParameterRole::weight, weight_shape(network, i));
      if (has_bias(layer.parameters)) {
        add_parameter(shapes, layer.name, ParameterRole::bias, by_channel);
      }
    }
  }
  return shapes;
}

void require_state_of(const Network& network,
                      const Checkpoint& checkpoint,
                      const std::string& file) {
  Shapes missing = shapes_of(network);
  for (std::size_t i = 0; i < checkpoint.tensors.size(); ++i) {
    const StoredTensor& tensor = checkpoint.tensors[i];
    const auto found = missing.find(tensor.name);
    if (found != missing.end() && found->second == tensor.shape) {
      missing.erase(found);
      continue;
    }
    throw InputError(
        {.file = file,
         .pointer = "/tensors/" + std::to_string(i),
         .value = tensor.name + " of " + to_text(tensor.shape),
         .allowed = found == missing.end()
                        ? "each parameter and running value of the network once"
                        : "the shape " + to_text(found->second) + ", as the network has it"});
  }
  if (missing.empty()) return;
  throw InputError(
      {.file = file,
       .pointer = "/tensors",
       .value = "no " + missing.begin()->first + " of " + to_text(missing.begin()->second),
       .allowed = "all parameters and running values of the network"});
}

}  // namespace

void check_checkpoint(const std::string& text, const std::string& file) {
  const Checkpoint checkpoint = parse_checkpoint(text, file);
  require_state_of(checkpoint.network, checkpoint, file);
  for (const CheckpointPart& part : checkpoint.parts) check_part(file, part);
  check_values(checkpoint, file);
}

}  // namespace cnnplan
