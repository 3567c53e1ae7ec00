// Knows the operators that are element by element and the norm over channels, and finds which input
// is the gate.
#include "planner/import/planned_operators.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/network/layer_parameters.hpp"
#include "planner/network/layers/channel_norm.hpp"

namespace cnnplan {
namespace {

constexpr std::string_view element_wise_operators[] = {
    "Abs",      "Add",  "Celu",       "Clip",        "Div",       "Elu",
    "Erf",      "Exp",  "Gelu",       "HardSigmoid", "HardSwish", "LeakyRelu",
    "Log",      "Max",  "Min",        "Mish",        "Mul",       "Neg",
    "PRelu",    "Pow",  "Reciprocal", "Selu",        "Sigmoid",   "Softplus",
    "Softsign", "Sqrt", "Sub",        "Swish",       "Tanh",      "ThresholdedRelu"};

// Refuses a constant that would enlarge the activation. Each of its dims, counted from the last, is
// 1 or that of the activation.
void require_broadcast(const Constant& constant, const Activation& x) {
  const std::vector<std::int64_t> dims = dims_of(constant);
  bool fits = dims.size() <= x.dims.size();
  for (std::size_t i = 0; fits && i < dims.size(); ++i) {
    const std::int64_t extent = x.dims[i + x.dims.size() - dims.size()];
    fits = dims[i] == 1 || dims[i] == extent;
  }
  if (!fits) {
    throw UnmappedNode("a constant " + dims_text(dims) + " with " + dims_text(x.dims));
  }
}

bool is_layer_gate(const NetworkBuilder& network, const Activation& gate, const Activation& image) {
  const auto is_one = [](std::int64_t extent) { return extent == 1; };
  return !gate.is_channels_last && gate.dims.size() == image.dims.size() && gate.dims.size() > 2 &&
         std::all_of(gate.dims.begin() + 2, gate.dims.end(), is_one) &&
         is_gate(network.shape(gate.layer), network.shape(image.layer));
}

// Orders the inputs so that a gate comes after its image. @throws UnmappedNode
void order_inputs(const NetworkBuilder& network, std::vector<Activation>& inputs) {
  if (inputs.size() < 2) return;
  Activation& first = inputs[0];
  Activation& second = inputs[1];
  if (first.is_channels_last != second.is_channels_last) {
    throw UnmappedNode("one input with channels last, and another one with channels first");
  }
  if (first.dims == second.dims) return;
  if (is_layer_gate(network, first, second)) return std::swap(first, second);
  if (!is_layer_gate(network, second, first)) {
    throw UnmappedNode("inputs " + dims_text(first.dims) + " and " + dims_text(second.dims) +
                       ", neither equal nor one position for each channel");
  }
}

// Adds a norm over the channels of each position, of an image with channels last or of (N, C).
Value map_channel_norm(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = in_any_layout(node, 0);
  const std::size_t axis = normal_axis(node.integer("axis", -1), x.dims.size());
  if (axis != x.channel_axis() || axis + 1 != x.dims.size()) {
    throw UnmappedNode("a norm over other dims than the channels of each position, of " +
                       dims_text(x.dims));
  }
  if (!x.is_channels_last) network.require_plain(x);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (node.has_input(i)) require_broadcast(node.constant(i), x);
  }
  for (const auto& [name, value] : node.node().attributes) node.has_no_effect({name.c_str()});
  return network.add_layer(node, Pointwise{.operation = std::string(channel_norm)}, {x});
}

}  // namespace

bool can_plan(const NodeReader& node) {
  const OnnxNode& own = node.node();
  const auto* const end = std::end(element_wise_operators);
  const bool is_known = own.type == channel_norm ||
                        std::find(std::begin(element_wise_operators), end, own.type) != end;
  return is_known && own.domain.empty() && node.has_activation();
}

Value map_planned(const NodeReader& node, NetworkBuilder& network) {
  if (node.node().type == channel_norm) return map_channel_norm(node, network);
  std::vector<Activation> inputs;
  std::vector<Constant> constants;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    if (node.is_constant(i)) {
      constants.push_back(node.constant(i));
    } else {
      inputs.push_back(in_any_layout(node, i));
    }
  }
  if (inputs.size() > 2) throw UnmappedNode("more than two activations");
  order_inputs(network, inputs);
  for (const Constant& constant : constants) require_broadcast(constant, inputs[0]);
  for (const auto& [name, value] : node.node().attributes) node.has_no_effect({name.c_str()});
  return network.add_layer(node, Pointwise{.operation = node.node().type}, inputs);
}

}  // namespace cnnplan
