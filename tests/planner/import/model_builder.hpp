// Builds small ONNX models with the messages of their files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan::test {

using Dims = std::vector<std::int64_t>;

// Adds attributes to a node of a model.
class NodeBuilder {
 public:
  explicit NodeBuilder(onnx::NodeProto& node) : node_(node) {}
  NodeBuilder& set(const std::string& name, std::int64_t value);
  NodeBuilder& set(const std::string& name, float value);
  NodeBuilder& set(const std::string& name, const std::string& value);
  NodeBuilder& set(const std::string& name, const Dims& values);
  NodeBuilder& set_reals(const std::string& name, const std::vector<float>& values);
  NodeBuilder& called(const std::string& name);
  onnx::NodeProto& message() { return node_; }

 private:
  onnx::AttributeProto& add(const std::string& name, onnx::AttributeProto::AttributeType type);

  onnx::NodeProto& node_;
};

class ModelBuilder {
 public:
  // Makes a model with the input "x". An extent of 0 has a name only.
  explicit ModelBuilder(const Dims& input = {1, 4, 8, 8}, std::int64_t opset = 13);

  // Adds a node. Its single output is "y" unless other outputs are given.
  NodeBuilder node(const std::string& type,
                   const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs = {"y"});
  // Adds a constant of 32-bit numbers 0, 1, 2, ...
  ModelBuilder& weight(const std::string& name, const Dims& dims);
  ModelBuilder& reals(const std::string& name, const Dims& dims, const std::vector<float>& values);
  ModelBuilder& integers(const std::string& name, const Dims& values);
  ModelBuilder& output(const std::string& name);

  onnx::ModelProto& message() { return model_; }
  // Returns the bytes of the model's file. The model gets the output "y" if it has none.
  std::string bytes();
  ImportedModel import(const ImportOptions& options = {});

 private:
  onnx::ModelProto model_;
};

// Returns the layer before the loss.
const Layer& last_layer(const ImportedModel& model);

// Returns the first tensor of this name. Fails the test if there is none.
const ImportedTensor& tensor_of(const ImportedModel& model, const std::string& name);

// Returns the reasons why nodes cannot be mapped. Fails the test if the import succeeds.
std::vector<Refusal> refusals_of(ModelBuilder& model, const ImportOptions& options = {});
// Returns the reason of the only node that cannot be mapped.
std::string refusal_of(ModelBuilder& model);

}  // namespace cnnplan::test
