// Returns the size of each element type, and the text that messages use for a node.
#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

std::int64_t element_bytes(TensorType type) {
  switch (type) {
    case TensorType::float16:
    case TensorType::bfloat16:
      return 2;
    case TensorType::float32:
    case TensorType::int32:
      return 4;
    case TensorType::float64:
    case TensorType::int64:
      return 8;
    case TensorType::other:
      break;
  }
  return 0;
}

std::string to_text(const OnnxNode& node) {
  const std::string output = node.outputs.empty() ? "" : node.outputs.front();
  return '\'' + (node.name.empty() ? output : node.name) + "' (" + node.type + ')';
}

}  // namespace cnnplan
