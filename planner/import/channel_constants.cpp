// Decides whether a layer can take a constant into its parameters, and reads the constant.
#include "planner/import/channel_constants.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/network/channel_split.hpp"

namespace cnnplan {
namespace {

// Returns true if a constant is one number, or has one number per channel of x.
bool is_per_channel(const Constant& constant, const Activation& x) {
  const std::vector<std::int64_t> dims = dims_of(constant);
  if (dims.size() > x.dims.size()) return false;
  if (element_count(*constant.tensor) == 1) return true;
  const std::size_t channels = x.channel_axis();
  if (dims.size() + channels < x.dims.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t axis = i + x.dims.size() - dims.size();
    if (dims[i] != (axis == channels ? x.dims[channels] : 1)) return false;
  }
  return true;
}

// Returns the activation that is combined with the constant. @throws UnmappedNode
Activation taking_in(const NodeReader& node, const NetworkBuilder& network, std::size_t constant) {
  Activation x = in_any_layout(node, 1 - constant);
  const LayerParameters& parameters = network.layer(x.layer).parameters;
  if (std::holds_alternative<Input>(parameters)) {
    throw UnmappedNode("a constant with the samples; export the model without it, and change them");
  }
  if (!mixes_channels(parameters) && !std::holds_alternative<BatchNorm>(parameters)) {
    throw UnmappedNode("a constant after '" + network.layer(x.layer).name +
                       "', which has no parameters to take it in");
  }
  if (!is_per_channel(node.constant(constant), x)) {
    throw UnmappedNode("a constant " + dims_text(dims_of(node.constant(constant))) + " with " +
                       dims_text(x.dims) + ", neither one number nor one for each channel");
  }
  if (!x.is_layer_output || !network.is_used_once(node.node().inputs[1 - constant])) {
    throw UnmappedNode(
        "a constant with a value that other nodes use, too, or see in another shape");
  }
  return x;
}

}  // namespace

Value add_constant(const NodeReader& node,
                   NetworkBuilder& network,
                   std::size_t constant,
                   double factor) {
  Activation x = taking_in(node, network, constant);
  network.shift_output(x.layer, node.constant(constant), factor);
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
