// Maps element-wise operators that no kernel computes to layers that are only planned.
#pragma once

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// True if the node is an operator of the standard domain, of a type that works element by element,
// with at least one activation among its inputs.
bool can_plan(const NodeReader& node);
// Adds a layer of the kind `pointwise`. Constants are no inputs of the layer.
// @pre can_plan(node). @throws UnmappedNode where the operator couples positions or channels
Value map_planned(const NodeReader& node, NetworkBuilder& network);

}  // namespace cnnplan
