// Determines the dims of a model's input, including dims that the file leaves open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Returns the dims of the file, replaced by the dims in `text`. `text` has all dims
// ("1x3x512x512"), all except the batch ("3x512x512"), only the spatial ones ("512x512"), or is
// empty. A batch without a number becomes 1. If the file has no shape, three numbers are C, H and
// W, and four or five begin with the batch.
// @throws InputError when a dim besides the batch has no number, or `text` has more numbers than
// the file has dims; at "--input" for other texts
std::vector<std::int64_t> input_dims(const OnnxValue& input,
                                     const std::string& text,
                                     const std::string& file);

}  // namespace cnnplan
