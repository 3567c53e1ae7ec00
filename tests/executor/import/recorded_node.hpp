// Reads models of one node, with the inputs and outputs that ONNX's authors recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/import_onnx.hpp"

namespace cnnplan::test {

// Holds values in row-major order.
struct RecordedTensor {
  std::vector<std::int64_t> dims;
  std::vector<float> values;
};

// Holds a model whose first input is the network's input. All other inputs are constants of the
// model.
struct RecordedNode {
  std::string content;  // of the model's file
  RecordedTensor input;
  RecordedTensor output;  // the first

  // @throws the exceptions of import_onnx
  ImportedModel import() const;
};

bool has_recorded_nodes();
// Reads the node of a test such as "test_conv_with_strides_padding". @throws IoError
RecordedNode recorded_node(const std::string& name);

}  // namespace cnnplan::test
