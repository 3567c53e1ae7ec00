// Maps norms, activation functions, sums and concatenations to layers.
#include <limits>

#include "planner/import/channel_constants.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

// A batch norm has these parameters. They are the inputs of its node after the image, in order.
constexpr const char* batch_norm_tensors[] = {"scale", "shift", "mean", "variance"};

// Returns the only number of a constant input, or `absent` if the input is left out.
double number_at(const NodeReader& node, std::size_t index, double absent) {
  const auto numbers = node.reals_at(index);
  if (!numbers) return absent;
  if (numbers->size() != 1) throw UnmappedNode("an input is not one number");
  const double value = numbers->front();
  return node.constant(index).tensor->type == TensorType::float32
             ? as_written(static_cast<float>(value))
             : value;
}

// Reads an attribute in older opsets, or an input in newer ones.
double number_of_either(const NodeReader& node,
                        const std::string& attribute,
                        std::size_t index,
                        double absent) {
  refuse_both(node, attribute, index);
  return node.has(attribute) ? as_written(node.real(attribute, 0)) : number_at(node, index, absent);
}

Value add_two(const NodeReader& node, NetworkBuilder& network, double scale) {
  const Activation a = in_any_layout(node, 0);
  const Activation b = in_any_layout(node, 1);
  if (a.dims != b.dims || a.is_channels_last != b.is_channels_last) {
    throw UnmappedNode("inputs " + dims_text(a.dims) + " and " + dims_text(b.dims) +
                       " of unequal dims");
  }
  return network.add_layer(node, Add{.scale = scale}, {a, b});
}

Value map_batch_norm(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = node.activation(0);
  network.require_plain(x);
  // Training decides whether statistics are those of the mini-batch.
  node.has_no_effect({"training_mode"});
  if (node.integer("spatial", 1) == 0) throw UnmappedNode("statistics for each position");
  // In ONNX, momentum is the kept part of the running values; in layers, it is the new part.
  const double kept = as_written(node.real("momentum", 0.9F));
  const BatchNorm norm{.epsilon = as_written(node.real("epsilon", 1e-5F)),
                       .momentum = as_written(static_cast<float>(1 - kept))};
  const Activation y = network.add_layer(node, norm, {x});
  const std::vector<std::int64_t> extents{x.dims[1]};
  for (std::size_t i = 0; i < std::size(batch_norm_tensors); ++i) {
    const Constant values = node.constant(i + 1);
    if (dims_of(values) != extents) {
      throw UnmappedNode(std::string(batch_norm_tensors[i]) + ' ' + dims_text(dims_of(values)) +
                         " for " + std::to_string(x.dims[1]) + " channels");
    }
    network.add_tensor(y.layer, batch_norm_tensors[i], extents, values);
  }
  return y;
}

Value map_local_response_norm(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = node.activation(0);
  network.require_plain(x);
  const LocalResponseNorm norm{.size = node.integer("size", 0),
                               .alpha = as_written(node.real("alpha", 1e-4F)),
                               .beta = as_written(node.real("beta", 0.75F)),
                               .k = as_written(node.real("bias", 1.0F))};
  return network.add_layer(node, norm, {x});
}

Value map_relu(const NodeReader& node, NetworkBuilder& network) {
  return network.add_layer(node, Relu{}, {in_any_layout(node, 0)});
}

Value map_leaky_relu(const NodeReader& node, NetworkBuilder& network) {
  const LeakyRelu leaky{.slope = as_written(node.real("alpha", 0.01F))};
  return network.add_layer(node, leaky, {in_any_layout(node, 0)});
}

Value map_clip(const NodeReader& node, NetworkBuilder& network) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double min = number_of_either(node, "min", 1, -infinity);
  const double max = number_of_either(node, "max", 2, infinity);
  if (min != 0) throw UnmappedNode("clips at another minimum than 0");
  const bool is_open = max >= std::numeric_limits<float>::max();
  return network.add_layer(node, Relu{.max = is_open ? infinity : max}, {in_any_layout(node, 0)});
}

Value map_dropout(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = in_any_layout(node, 0);
  node.has_no_effect({"seed"});  // random numbers follow from the seed of the training
  const double rate = number_of_either(node, "ratio", 1, 0.5);
  if (rate == 0) return x;
  return network.add_layer(node, Dropout{.rate = rate}, {x});
}

Value map_add(const NodeReader& node, NetworkBuilder& network) {
  if (node.is_constant(0)) return add_constant(node, network, 0, 1);
  if (node.is_constant(1)) return add_constant(node, network, 1, 1);
  return add_two(node, network, 1);
}

Value map_sub(const NodeReader& node, NetworkBuilder& network) {
  if (node.is_constant(0)) return subtract_from_constant(node, network, 0);
  if (node.is_constant(1)) return add_constant(node, network, 1, -1);
  return add_two(node, network, -1);
}

Value map_mul(const NodeReader& node, NetworkBuilder& network) {
  if (node.is_constant(0)) return multiply_by_constant(node, network, 0);
  if (node.is_constant(1)) return multiply_by_constant(node, network, 1);
  throw UnmappedNode("a product of two activations");
}

Value map_div(const NodeReader& node, NetworkBuilder& network) {
  if (!node.is_constant(1)) throw UnmappedNode("divides by an activation");
  return divide_by_constant(node, network, 1);
}

Value map_sum(const NodeReader& node, NetworkBuilder& network) {
  if (node.input_count() == 1) return node.activation(0);
  if (node.input_count() == 2) return add_two(node, network, 1);
  Activation sum = node.activation(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    const Activation next = node.activation(i);
    if (next.dims != sum.dims) throw UnmappedNode("inputs of unequal dims");
    sum = network.add_layer(node, Add{}, {sum, next});
  }
  return sum;
}

Value map_concat(const NodeReader& node, NetworkBuilder& network) {
  std::vector<Activation> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    inputs.push_back(node.activation(i));
    network.require_plain(inputs.back());
  }
  if (inputs.empty()) throw UnmappedNode("no inputs");
  const std::size_t axis = normal_axis(node.integer("axis", 1), inputs[0].dims.size());
  if (axis != 1) throw UnmappedNode("joins along another dim than the channels");
  if (inputs.size() == 1) return inputs[0];
  return network.add_layer(node, Concat{}, inputs);
}

}  // namespace

MapNode find_elementwise_operator(std::string_view type) {
  static constexpr OperatorRow operators[] = {
      {"Add", one<map_add>},
      {"BatchNormalization", one<map_batch_norm>},
      {"Clip", one<map_clip>},
      {"Concat", one<map_concat>},
      {"Div", one<map_div>},
      {"Dropout", one<map_dropout>},
      {"LRN", one<map_local_response_norm>},
      {"LeakyRelu", one<map_leaky_relu>},
      {"Mul", one<map_mul>},
      {"Relu", one<map_relu>},
      {"Sub", one<map_sub>},
      {"Sum", one<map_sum>},
  };
  return find_row(operators, type);
}

}  // namespace cnnplan
