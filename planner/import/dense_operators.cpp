// Maps matrix products with constant weights to fully connected layers, or to convolutions of one
// point.
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

// Returns (outputs, C, D, H, W) as files of weights have it, without D if it is 1.
std::vector<std::int64_t> weight_extents(std::int64_t outputs, const Shape& image) {
  std::vector<std::int64_t> extents{outputs, image[Dim::c]};
  for (const Dim dim : spatial_dims) {
    if (dim != Dim::d || image[dim] > 1) extents.push_back(image[dim]);
  }
  return extents;
}

// Adds the layer. The dims of `weight` are (outputs, inputs) if `is_outputs_first`.
Activation add_fully_connected(const NodeReader& node,
                               NetworkBuilder& network,
                               Constant weight,
                               bool is_outputs_first) {
  const Activation x = node.activation(0);
  const std::vector<std::int64_t> dims = dims_of(weight);
  if (dims.size() != 2 || x.dims.size() != 2) {
    throw UnmappedNode("a product of " + dims_text(x.dims) + " and " + dims_text(dims) +
                       " is no fully connected layer");
  }
  if (!is_outputs_first) weight.is_transposed = !weight.is_transposed;
  const std::int64_t outputs = dims[is_outputs_first ? 0 : 1];
  if (dims[is_outputs_first ? 1 : 0] != x.dims[1]) {
    throw UnmappedNode("a weight " + dims_text(dims) + " for " + std::to_string(x.dims[1]) +
                       " inputs");
  }
  const Shape image = network.shape(x.layer);
  Activation y = network.add_layer(node, FullyConnected{.outputs = outputs, .bias = false}, {x});
  network.add_tensor(y.layer, "weight", weight_extents(outputs, image), weight);
  return y;
}

// Adds a convolution of one point for a product with the channels of each position, which are last.
Activation add_point_convolution(const NodeReader& node,
                                 NetworkBuilder& network,
                                 const Activation& x,
                                 Constant weight) {
  const std::vector<std::int64_t> dims = dims_of(weight);
  if (dims.size() != 2 || dims[0] != x.dims.back()) {
    throw UnmappedNode("a product of " + dims_text(x.dims) + " and " + dims_text(dims) +
                       " is no convolution of one point");
  }
  weight.is_transposed = !weight.is_transposed;
  Convolution convolution;
  convolution.filters = dims[1];
  Activation y = network.add_layer(node, convolution, {x});
  std::vector<std::int64_t> extents(x.dims.size(), 1);
  extents[0] = dims[1];
  extents[1] = dims[0];
  network.add_tensor(y.layer, "weight", extents, weight);
  return y;
}

// Checks that a bias has one number per output or one number in all, apart from dims of 1.
void require_bias(const Constant& bias, std::int64_t outputs) {
  const std::vector<std::int64_t> dims = dims_of(bias);
  const std::int64_t count = element_count(*bias.tensor);
  if (dims.size() > 2 || (count != 1 && (dims.back() != outputs || count != outputs))) {
    throw UnmappedNode("a bias " + dims_text(dims) + " for " + std::to_string(outputs) +
                       " outputs");
  }
}

}  // namespace

Value map_gemm(const NodeReader& node, NetworkBuilder& network) {
  if (node.integer("transA", 0) != 0) throw UnmappedNode("its first input is transposed");
  const Activation y =
      add_fully_connected(node, network, node.constant(1), node.integer("transB", 0) != 0);
  network.scale_output(y.layer, {node.real("alpha", 1)});
  const double beta = node.real("beta", 1);
  if (!node.has_input(2)) return y;
  const Constant bias = node.constant(2);
  require_bias(bias, y.dims[1]);
  network.shift_output(y.layer, bias, beta);
  return y;
}

Value map_matmul(const NodeReader& node, NetworkBuilder& network) {
  if (!node.is_constant(1)) throw UnmappedNode("a product of two activations");
  const Activation x = in_any_layout(node, 0);
  if (x.is_channels_last) return add_point_convolution(node, network, x, node.constant(1));
  return add_fully_connected(node, network, node.constant(1), false);
}

}  // namespace cnnplan
