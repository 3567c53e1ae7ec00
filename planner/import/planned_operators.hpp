// Maps element-wise operators and norms over channels that no kernel computes to layers that are
// only planned.
#pragma once

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// True if the node is an operator of the standard domain, and has at least one activation among its
// inputs. It is a norm over one axis, or works element by element on at most two activations.
bool can_plan(const NodeReader& node);
// Adds a layer of the kind `pointwise`. Constants are no inputs of the layer.
// @pre can_plan(node). @throws UnmappedNode where the operator couples positions
Value map_planned(const NodeReader& node, NetworkBuilder& network);

}  // namespace cnnplan
