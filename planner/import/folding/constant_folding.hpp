// Values of nodes that have constant inputs only: targets of reshapes and sizes, mostly.
#pragma once

#include <string_view>

#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// True where fold() knows the operator.
bool can_fold(std::string_view type);

// The first output of a node. Tensors of up to 8,192 elements; weights are only renamed and
// transposed. @pre node.are_inputs_constant() and can_fold(type) @throws UnmappedNode
Constant fold(const NodeReader& node);

}  // namespace cnnplan
