// Fills in the messages of ONNX models, and imports the models.
#include "tests/planner/import/model_builder.hpp"

#include <doctest/doctest.h>

#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan::test {

onnx::AttributeProto& NodeBuilder::add(const std::string& name,
                                       onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node_.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

NodeBuilder& NodeBuilder::set(const std::string& name, std::int64_t value) {
  add(name, onnx::AttributeProto::INT).set_i(value);
  return *this;
}

NodeBuilder& NodeBuilder::set(const std::string& name, float value) {
  add(name, onnx::AttributeProto::FLOAT).set_f(value);
  return *this;
}

NodeBuilder& NodeBuilder::set(const std::string& name, const std::string& value) {
  add(name, onnx::AttributeProto::STRING).set_s(value);
  return *this;
}

NodeBuilder& NodeBuilder::set(const std::string& name, const Dims& values) {
  onnx::AttributeProto& attribute = add(name, onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
  return *this;
}

NodeBuilder& NodeBuilder::set_reals(const std::string& name, const std::vector<float>& values) {
  onnx::AttributeProto& attribute = add(name, onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
  return *this;
}

NodeBuilder& NodeBuilder::called(const std::string& name) {
  node_.set_name(name);
  return *this;
}

ModelBuilder::ModelBuilder(const Dims& input, std::int64_t opset) {
  model_.set_ir_version(99);
  model_.add_opset_import()->set_version(opset);
  onnx::ValueInfoProto& x = *model_.mutable_graph()->add_input();
  x.set_name("x");
  auto& type = *x.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : input) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (extent > 0) dim.set_dim_value(extent);
    if (extent == 0) dim.set_dim_param("open");
  }
}

NodeBuilder ModelBuilder::node(const std::string& type,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(type);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return NodeBuilder(node);
}

ModelBuilder& ModelBuilder::weight(const std::string& name, const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return reals(name, dims, values);
}

ModelBuilder& ModelBuilder::reals(const std::string& name,
                                  const Dims& dims,
                                  const std::vector<float>& values) {
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const float value : values) tensor.add_float_data(value);
  return *this;
}

ModelBuilder& ModelBuilder::integers(const std::string& name, const Dims& values) {
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return *this;
}

ModelBuilder& ModelBuilder::output(const std::string& name) {
  model_.mutable_graph()->add_output()->set_name(name);
  return *this;
}

std::string ModelBuilder::bytes() {
  if (model_.graph().output().empty()) output("y");
  return model_.SerializeAsString();
}

ImportedModel ModelBuilder::import(const ImportOptions& options) {
  return import_onnx(parse_onnx(bytes(), "m.onnx"), "m.onnx", options);
}

const Layer& last_layer(const ImportedModel& model) {
  return model.network.layer(model.network.loss_layer() - 1);
}

const ImportedTensor& tensor_of(const ImportedModel& model, const std::string& name) {
  for (const ImportedTensor& tensor : model.tensors) {
    if (tensor.name == name) return tensor;
  }
  FAIL("no such tensor");
  return model.tensors.front();
}

std::vector<Refusal> refusals_of(ModelBuilder& model, const ImportOptions& options) {
  try {
    model.import(options);
  } catch (const UnmappedNodes& unmapped) {
    CHECK(unmapped.exit_code() == ExitCode::bad_input);
    return unmapped.refusals();
  }
  FAIL_CHECK("all nodes were mapped");
  return {};
}

std::string refusal_of(ModelBuilder& model) {
  const std::vector<Refusal> refusals = refusals_of(model);
  REQUIRE(refusals.size() == 1);
  return refusals[0].reason;
}

}  // namespace cnnplan::test
