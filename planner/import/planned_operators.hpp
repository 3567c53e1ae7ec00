// Maps element-wise operators and norms over channels that no kernel computes to layers that are
// only planned.
#pragma once

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// True if the node is a LayerNormalization or a known element-wise operator of the standard domain,
// and some input is certainly no constant.
bool can_plan(const NodeReader& node);
// Adds a layer of the kind `pointwise`. Constants are no inputs of the layer.
// @pre can_plan(node), and no input is unknown
// @throws UnmappedNode for a norm over other dims than the channels, for more than two activations,
// for inputs whose dims or layouts do not fit each other, and for zeros around an input
Value map_planned(const NodeReader& node, NetworkBuilder& network);

}  // namespace cnnplan
