// Computes the result of operators that change only dims: Flatten, Reshape, Squeeze, Unsqueeze.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Returns the dims that the node gives a first input with `dims`; the target must be a constant.
// @throws UnmappedNode when the number of elements would change, for a wrong target or axis, or for
// over 16 dims; InputError when the number of elements overflows
std::vector<std::int64_t> reshaped_dims(const NodeReader& node,
                                        const std::vector<std::int64_t>& dims);

}  // namespace cnnplan
