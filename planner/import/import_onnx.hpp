// From an ONNX model to a network: the inverse of an export, operator by operator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

struct ImportOptions {
  std::string input;  // dims of the input: "1x3x512x512", "3x512x512", "512x512"; empty: the file's
  std::string output;                  // value that the loss is of; empty: the first output
  std::string loss = "cross_entropy";  // or "mean_squared_error"
  std::vector<std::string> auxiliary;  // further outputs with losses of that kind: "NAME=WEIGHT"
};

// Values of one tensor of one layer: those in the file, each times a factor plus an offset.
struct ImportedTensor {
  std::string layer;
  std::string name;                   // "weight", "bias", "scale", "shift", "mean" or "variance"
  std::vector<std::int64_t> extents;  // as the executor stores it; those of a bias are {F}
  TensorPointer values;               // one stands for all of a bias
  bool is_transposed = false;         // values are (inputs, outputs)
  // One for all, or one for each of the first extent.
  std::vector<double> factors{1.0};
  std::vector<double> offsets{0.0};
};

struct ImportedModel {
  Network network;
  std::vector<ImportedTensor> tensors;
  std::vector<std::string> notes;  // what was left out, for the user
};

// `file` is for messages and the name of the network. Values are not looked at, but where they
// stand for shapes.
// @throws UnmappedNodes with all nodes that have no layer; InputError
ImportedModel import_onnx(const OnnxGraph& graph,
                          const std::string& file,
                          const ImportOptions& options);

// Row-major as `extents` say. @throws InputError where values lie in another file or are no numbers
std::vector<double> values_of(const ImportedTensor& tensor, const std::string& file);

}  // namespace cnnplan
