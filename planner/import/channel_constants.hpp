// Takes sums and products of an activation and constants into the parameters of the layer that made
// the activation. The layer mixes channels or is a batch norm, and nothing else uses the
// activation.
#pragma once

#include <cstddef>

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Each function maps a node with two inputs. The input of the index `constant` holds a number, or
// one number per channel, and the other input is the activation x. The result is the output of the
// layer whose parameters were changed.
// @throws UnmappedNode when no layer can take the constant in, or for values that
// NetworkBuilder::scale_output or shift_output refuses; InputError when the product of its dims
// overflows

// Computes x + factor * constant.
Value add_constant(const NodeReader& node,
                   NetworkBuilder& network,
                   std::size_t constant,
                   double factor);
// Computes x * constant.
Value multiply_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);
// Computes x / constant.
Value divide_by_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);
// Computes constant - x.
Value subtract_from_constant(const NodeReader& node, NetworkBuilder& network, std::size_t constant);

}  // namespace cnnplan
