// Operators that change dims, not elements: Flatten, Reshape, Squeeze, Unsqueeze.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// What the node makes of a first input with these dims; the target must be a constant.
// @throws UnmappedNode where the elements do not fit
std::vector<std::int64_t> reshaped_dims(const NodeReader& node,
                                        const std::vector<std::int64_t>& dims);

}  // namespace cnnplan
