// Sums and products of an activation and constants: taken into the parameters of the layer that
// made it, where it is used for nothing else.
#pragma once

#include <cstddef>

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Input `constant` of the node's two is a number, or one for each channel; the other is x. All
// @throws UnmappedNode where no layer can take the constant in.

// x + factor * constant
Value add_constant(const NodeReader& node,
                   NetworkBuilder& network,
                   std::size_t constant,
                   double factor);
// x * constant
Value multiply_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);
// x / constant
Value divide_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);
// constant - x
Value subtract_from_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);

}  // namespace cnnplan
