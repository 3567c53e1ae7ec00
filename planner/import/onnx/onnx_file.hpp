// Reading of ONNX files. Files of external data are never opened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Of protobuf's messages.
inline constexpr std::int64_t max_onnx_bytes = 2147483647;

// True where a file that `text` begins is no JSON: its first character that is not blank is
// neither "{" nor "[".
// Blank files count as JSON.
bool is_onnx(std::string_view text);

// The whole file. @throws InputError where it is larger than a model may be, IoError
std::string read_onnx_file(const std::string& file);

// @throws InputError for what is no model, for tensors whose bytes are not as many as their dims
// say, and opsets that are not known; EnvironmentError in a program that was built without
// protobuf and ONNX
OnnxGraph parse_onnx(std::string_view content, const std::string& file);

}  // namespace cnnplan
