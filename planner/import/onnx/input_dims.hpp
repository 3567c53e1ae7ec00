// The dims of a model's input, with those that the file leaves open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// `text` has all dims ("1x3x512x512"), all but the batch ("3x512x512") or the spatial ones
// ("512x512"), in place of those of the file; empty: those of the file. A batch without a number
// is 1.
// @throws InputError where other dims have no number
std::vector<std::int64_t> input_dims(const OnnxValue& input,
                                     const std::string& text,
                                     const std::string& file);

}  // namespace cnnplan
