// Models of one node, with the inputs and outputs that ONNX's authors recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/import_onnx.hpp"

namespace cnnplan::test {

// Row-major.
struct RecordedTensor {
  std::vector<std::int64_t> dims;
  std::vector<float> values;
};

// The first input is what the network takes; all others are constants of the model.
struct RecordedNode {
  std::string content;  // of the model's file
  RecordedTensor input;
  RecordedTensor output;  // the first

  // @throws what an import throws
  ImportedModel import() const;
};

bool has_recorded_nodes();
// Of "test_conv_with_strides_padding". @throws IoError
RecordedNode recorded_node(const std::string& name);

}  // namespace cnnplan::test
