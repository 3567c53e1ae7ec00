// Looks up attributes and inputs, and refuses missing ones and wrong types.
#include "planner/import/onnx/node_reader.hpp"

#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {

template <typename T>
T NodeReader::attribute_or(const std::string& name, T absent) const {
  const auto found = node_.attributes.find(name);
  if (found == node_.attributes.end()) return absent;
  read_.insert(name);
  const T* const value = std::get_if<T>(&found->second);
  if (value == nullptr) throw UnmappedNode("its attribute '" + name + "' is of another type");
  return *value;
}

std::int64_t NodeReader::integer(const std::string& attribute, std::int64_t absent) const {
  return attribute_or(attribute, absent);
}

float NodeReader::real(const std::string& attribute, float absent) const {
  return attribute_or(attribute, absent);
}

std::string NodeReader::text(const std::string& attribute, const std::string& absent) const {
  return attribute_or(attribute, absent);
}

std::vector<std::int64_t> NodeReader::integers(const std::string& attribute) const {
  return attribute_or(attribute, std::vector<std::int64_t>{});
}

std::vector<float> NodeReader::reals(const std::string& attribute) const {
  return attribute_or(attribute, std::vector<float>{});
}

TensorPointer NodeReader::tensor(const std::string& attribute) const {
  return attribute_or(attribute, TensorPointer{});
}

void NodeReader::has_no_effect(std::initializer_list<const char*> attributes) const {
  read_.insert(attributes.begin(), attributes.end());
}

void NodeReader::require_all_read() const {
  for (const auto& [name, value] : node_.attributes) {
    if (read_.contains(name)) continue;
    throw UnmappedNode("its attribute '" + name + "' is not supported for this operator");
  }
}

bool NodeReader::has_input(std::size_t index) const {
  return index < node_.inputs.size() && !node_.inputs[index].empty();
}

const Value& NodeReader::input(std::size_t index) const {
  if (!has_input(index)) throw UnmappedNode("its input " + std::to_string(index) + " is missing");
  const auto found = values_.find(node_.inputs[index]);
  if (found == values_.end()) {
    throw UnmappedNode("its input '" + node_.inputs[index] + "' is made by no node");
  }
  return found->second;
}

bool NodeReader::is_constant(std::size_t index) const {
  return std::holds_alternative<Constant>(input(index));
}

bool NodeReader::is_input_unknown() const {
  for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
    if (has_input(i) && std::holds_alternative<Unknown>(input(i))) return true;
  }
  return false;
}

bool NodeReader::has_activation() const {
  for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
    if (!has_input(i)) continue;
    const auto* const unknown = std::get_if<Unknown>(&input(i));
    if (unknown != nullptr ? unknown->is_activation : !is_constant(i)) return true;
  }
  return false;
}

Constant NodeReader::constant(std::size_t index) const {
  const auto* const constant = std::get_if<Constant>(&input(index));
  if (constant == nullptr) {
    throw UnmappedNode("its input '" + node_.inputs[index] + "' is no constant");
  }
  return *constant;
}

Activation NodeReader::activation(std::size_t index) const {
  Activation activation = in_any_layout(*this, index);
  if (activation.is_channels_last) {
    throw UnmappedNode("its input " + dims_text(activation.dims) + " has channels last");
  }
  return activation;
}

Activation NodeReader::view(std::size_t index) const {
  const auto* const activation = std::get_if<Activation>(&input(index));
  if (activation == nullptr) {
    throw UnmappedNode("its input '" + node_.inputs[index] + "' is a constant");
  }
  if (activation->has_margin()) {
    throw UnmappedNode("zeros are padded to its input, which only convolutions and poolings do");
  }
  return *activation;
}

std::optional<std::vector<std::int64_t>> NodeReader::integers_at(std::size_t index) const {
  if (!has_input(index)) return std::nullopt;
  return integers_of(*constant(index).tensor);
}

std::optional<std::vector<double>> NodeReader::reals_at(std::size_t index) const {
  if (!has_input(index)) return std::nullopt;
  return reals_of(*constant(index).tensor);
}

std::optional<std::vector<std::int64_t>> NodeReader::integers_of_either(
    const std::string& attribute, std::size_t index) const {
  if (!has(attribute)) return integers_at(index);
  refuse_both(*this, attribute, index);
  return integers(attribute);
}

void require_integer(const NodeReader& node, const std::string& attribute, std::int64_t only) {
  const std::int64_t value = node.integer(attribute, only);
  if (value == only) return;
  throw UnmappedNode("its attribute '" + attribute + "' is " + std::to_string(value) +
                     "; layers compute " + std::to_string(only) + " only");
}

void require_text(const NodeReader& node, const std::string& attribute, const std::string& only) {
  const std::string value = node.text(attribute, only);
  if (value == only) return;
  throw UnmappedNode("its attribute '" + attribute + "' is '" + value + "'; layers compute '" +
                     only + "' only");
}

void refuse_both(const NodeReader& node, const std::string& attribute, std::size_t index) {
  if (!node.has(attribute) || !node.has_input(index)) return;
  throw UnmappedNode("both an attribute '" + attribute + "' and an input in its place");
}

Activation in_any_layout(const NodeReader& node, std::size_t index) {
  Activation activation = node.view(index);
  if (activation.groups) {
    throw UnmappedNode("its input " + dims_text(activation.dims) +
                       " has channels in groups, which layers only shuffle");
  }
  return activation;
}

bool are_inputs_constant(const NodeReader& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.has_input(i) && !node.is_constant(i)) return false;
  }
  return true;
}

bool has_padded_input(const NodeReader& node) {
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    const auto* const activation = std::get_if<Activation>(&node.input(i));
    if (activation != nullptr && activation->has_margin()) return true;
  }
  return false;
}

std::size_t normal_axis(std::int64_t axis, std::size_t rank) {
  const std::int64_t count = rank;
  if (axis < -count || axis >= count) {
    throw UnmappedNode("axis " + std::to_string(axis) + " of " + std::to_string(rank) + " dims");
  }
  return axis < 0 ? axis + count : axis;
}

}  // namespace cnnplan
