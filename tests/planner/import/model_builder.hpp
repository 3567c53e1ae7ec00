// Small ONNX models, built with the messages of their files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan::test {

using Dims = std::vector<std::int64_t>;

// A node that is there already, with attributes to add.
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
  // With the input "x"; an extent of 0 has a name only.
  explicit ModelBuilder(const Dims& input = {1, 4, 8, 8}, std::int64_t opset = 13);

  // The single output "y" unless named otherwise.
  NodeBuilder node(const std::string& type,
                   const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs = {"y"});
  // 32-bit numbers 0, 1, 2, ...
  ModelBuilder& weight(const std::string& name, const Dims& dims);
  ModelBuilder& reals(const std::string& name, const Dims& dims, const std::vector<float>& values);
  ModelBuilder& integers(const std::string& name, const Dims& values);
  ModelBuilder& output(const std::string& name);

  onnx::ModelProto& message() { return model_; }
  // With the output "y" where none was added.
  std::string bytes();
  ImportedModel import(const ImportOptions& options = {});

 private:
  onnx::ModelProto model_;
};

// The layer before the loss.
const Layer& last_layer(const ImportedModel& model);

// The first of this name; fails the test when there is none.
const ImportedTensor& tensor_of(const ImportedModel& model, const std::string& name);

// Reasons of all nodes that cannot be mapped; fails the test when the import succeeds.
std::vector<Refusal> refusals_of(ModelBuilder& model, const ImportOptions& options = {});
// Of a model with one such node: the reason.
std::string refusal_of(ModelBuilder& model);

}  // namespace cnnplan::test
