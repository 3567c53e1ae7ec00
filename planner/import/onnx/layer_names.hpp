// Makes names of layers from the names in a model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Returns the name of a node in the model's source, if the file still shows it: "layer1.0.conv1"
// from a weight "layer1.0.conv1.weight", else from a node "/layer1/layer1.0/conv1/Conv". Otherwise
// it returns the node's own name, or the name of its first output.
std::string source_name(const OnnxNode& node);

// Makes valid names that differ. Letters, digits, "_", "-" and "." stay, and every other character
// becomes "_". Names are cut after 200 characters. A name without other characters than dots begins
// with "layer". A name that is taken or reserved, or "loss", gets a number at its end.
class LayerNames {
 public:
  // Returns a valid name made of `wanted` that was not returned before.
  std::string unique(std::string_view wanted);

 private:
  std::map<std::string, int, std::less<>> taken_;  // with the last number that each name got
};

}  // namespace cnnplan
