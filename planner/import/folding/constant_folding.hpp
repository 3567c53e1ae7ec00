// Computes nodes whose inputs are all constant, such as targets of reshapes and sizes.
#pragma once

#include <string_view>

#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Returns true if fold() knows the operator.
bool can_fold(std::string_view type);

// Returns the value of the node's first output. It computes with tensors of up to 8,192 elements.
// Larger tensors, such as weights, can only come from a node Constant, and be renamed and
// transposed.
// @pre are_inputs_constant(node) and can_fold(type)
// @throws UnmappedNode, and InputError for an integer that overflows
Constant fold(const NodeReader& node);

}  // namespace cnnplan
