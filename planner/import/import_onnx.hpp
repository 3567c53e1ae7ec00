// Imports an ONNX model as a network, operator by operator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Holds the choices of the user about a model.
struct ImportOptions {
  std::string input;   // dims of the input, as "1x3x512x512" or "512x512"; empty: the file's
  std::string output;  // value from which the loss is computed; empty: the first output
  std::string loss = "cross_entropy";  // or "mean_squared_error"
  std::vector<std::string> auxiliary;  // further outputs with a loss of this kind: "NAME=WEIGHT"
  // Element-wise operators, and norms over channels, that no layer with a kernel can take become
  // layers that are only planned (Pointwise).
  bool planning = false;
};

// Describes a parameter of a layer. Its values are the values in the file, each times a factor
// plus an offset.
struct ImportedTensor {
  std::string layer;
  std::string name;                   // "weight", "bias", "scale", "shift", "mean" or "variance"
  std::vector<std::int64_t> extents;  // the shape in which the executor stores it; {F} for a bias
  TensorPointer values;               // a bias may have one value for all outputs
  bool is_transposed = false;         // the file has them as (inputs, outputs)
  // Each list holds one number for all values, or one for each index of the first extent.
  std::vector<double> factors{1.0};
  std::vector<double> offsets{0.0};
};

// Holds the network of a model, and all that its weights are made of.
struct ImportedModel {
  Network network;
  std::vector<ImportedTensor> tensors;
  std::vector<std::string> notes;  // for the user, about omitted or changed parts
};

// Makes a network of a model. `file` is the path of the model, for messages and for the name of the
// network. Values of tensors are read only to compute shapes and other constants.
// @throws UnmappedNodes with all nodes that have no layer; InputError
ImportedModel import_onnx(const OnnxGraph& graph,
                          const std::string& file,
                          const ImportOptions& options);

// Returns the values of a parameter, with its factors and offsets applied, in row-major order of
// `extents`. `file` names the model in errors.
// @throws InputError when they lie in another file, are of a type that is not read, or are not
// finite
std::vector<double> values_of(const ImportedTensor& tensor, const std::string& file);

}  // namespace cnnplan
