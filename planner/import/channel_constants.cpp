// Which layers take constants in, and how they are read.
#include "planner/import/channel_constants.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "planner/import/tensor_values.hpp"
#include "planner/import/unmapped.hpp"
#include "planner/model/channel_split.hpp"

namespace cnnplan {
namespace {

// True where a constant is one number, or has one for each channel of x, repeated over all else.
bool is_per_channel(const Constant& constant, const Activation& x) {
  const std::vector<std::int64_t> dims = dims_of(constant);
  if (dims.size() > x.dims.size()) return false;
  if (element_count(*constant.tensor) == 1) return true;
  if (dims.size() + 1 < x.dims.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t axis = i + x.dims.size() - dims.size();
    if (dims[i] != (axis == 1 ? x.dims[1] : 1)) return false;
  }
  return true;
}

// The activation beside the constant. @throws UnmappedNode
Activation taking_in(const NodeReader& node, const NetworkBuilder& network, std::size_t constant) {
  Activation x = node.activation(1 - constant);
  const LayerParameters& parameters = network.layer(x.layer).parameters;
  const bool has_room = mixes_channels(parameters) || std::holds_alternative<BatchNorm>(parameters);
  if (!has_room || !x.is_layer_output || !is_per_channel(node.constant(constant), x) ||
      !network.is_used_once(node.node().inputs[1 - constant])) {
    throw UnmappedNode("computes with a constant that the layer before it cannot take in");
  }
  return x;
}

}  // namespace

Value add_constant(const NodeReader& node,
                   NetworkBuilder& network,
                   std::size_t constant,
                   double sign) {
  Activation x = taking_in(node, network, constant);
  network.shift_output(x.layer, node.constant(constant), sign);
  return x;
}

Value multiply_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant) {
  Activation x = taking_in(node, network, constant);
  network.scale_output(x.layer, reals_of(*node.constant(constant).tensor));
  return x;
}

Value divide_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant) {
  Activation x = taking_in(node, network, constant);
  std::vector<double> factors = reals_of(*node.constant(constant).tensor);
  if (std::find(factors.begin(), factors.end(), 0.0) != factors.end()) {
    throw UnmappedNode("divides by 0");
  }
  for (double& factor : factors) factor = 1 / factor;
  network.scale_output(x.layer, factors);
  return x;
}

Value subtract_from_constant(const NodeReader& node,
                             NetworkBuilder& network,
                             std::size_t constant) {
  Activation x = taking_in(node, network, constant);
  network.scale_output(x.layer, {-1});
  network.shift_output(x.layer, node.constant(constant), 1);
  return x;
}

}  // namespace cnnplan
