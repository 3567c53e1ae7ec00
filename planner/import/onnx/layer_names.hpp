// Names of layers from those of a model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// What a node is called in the model's source, where the file still tells: "layer1.0.conv1" of a
// weight "layer1.0.conv1.weight", else of a node "/layer1/layer1.0/conv1/Conv"; else its own name
// or that of its output.
std::string source_name(const OnnxNode& node);

// Gives out names that networks allow, no name twice: letters, digits, "_", "-" and "." stay, all
// else becomes "_"; a name that is taken, or has a meaning, gets a number.
class LayerNames {
 public:
  std::string unique(std::string_view wanted);

 private:
  std::map<std::string, int, std::less<>> taken_;  // with the number that was given last
};

}  // namespace cnnplan
