// Holds the parts of an ONNX file that are read, as plain values; protobuf is unknown here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cnnplan {

// Lists the element types that can be read; every other type is `other`.
enum class TensorType { float16, bfloat16, float32, float64, int32, int64, other };

// Returns the bytes of an element, or 0 for `other`.
std::int64_t element_bytes(TensorType type);

// Holds a constant of the file.
struct OnnxTensor {
  std::string name;
  std::vector<std::int64_t> dims;  // none for a scalar
  TensorType type = TensorType::other;
  std::string bytes;         // row-major and little-endian; empty if is_external
  bool is_external = false;  // the values lie in another file, which is never opened
};
using TensorPointer = std::shared_ptr<const OnnxTensor>;

// Holds the value of an attribute of a node.
using OnnxAttribute = std::variant<std::monostate,  // for a type that no mapped operator uses
                                   std::int64_t,
                                   float,
                                   std::string,
                                   std::vector<std::int64_t>,
                                   std::vector<float>,
                                   TensorPointer>;

// Holds one operator of the graph.
struct OnnxNode {
  std::string name;    // may be empty
  std::string type;    // "Conv"
  std::string domain;  // whose operators the type belongs to; empty for the standard operators
  std::vector<std::string> inputs;  // an empty name stands for an input that is left out
  std::vector<std::string> outputs;
  std::map<std::string, OnnxAttribute> attributes;
};

// Describes an input or output of the graph. A dim without a number is 0.
struct OnnxValue {
  std::string name;
  bool has_shape = false;              // the file gives the number of dims
  bool is_real = true;                 // false for integers and other elements that are no reals
  std::vector<std::int64_t> dims;      // none if has_shape is false
  std::vector<std::string> dim_names;  // one for each dim: "batch", or empty
};

// Holds a model.
struct OnnxGraph {
  std::string name;
  std::int64_t opset = 0;  // version of the standard operators
  std::vector<OnnxNode> nodes;
  std::map<std::string, TensorPointer> initializers;
  std::vector<OnnxValue> inputs;  // without initializers
  std::vector<OnnxValue> outputs;
};

// Returns "'conv1' (Conv)"; a node without a name goes by its first output.
std::string to_text(const OnnxNode& node);

}  // namespace cnnplan
