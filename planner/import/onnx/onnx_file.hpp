// Reads ONNX files. It never opens files of external data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Protobuf limits its messages to this size.
inline constexpr std::int64_t max_onnx_bytes = 2147483647;

// Models of these versions of the standard operators are read.
inline constexpr std::int64_t oldest_opset = 7;
inline constexpr std::int64_t newest_opset = 20;

// Returns true if this program was built with protobuf and ONNX, so that it reads models.
bool has_onnx();

// Returns true if a file that begins with `text` is not JSON: its first character that is not blank
// is neither "{" nor "[". Blank files count as JSON. A byte order mark is read over.
bool is_onnx(std::string_view text);

// Returns the whole file. @throws InputError when it is larger than a model may be, IoError
std::string read_onnx_file(const std::string& file);

// Parses a model.
// @throws InputError for content that is no model, for tensors whose extents are out of range or
// contradict their number of bytes, and for other opsets; EnvironmentError in a program that was
// built without protobuf and ONNX
OnnxGraph parse_onnx(std::string_view content, const std::string& file);

}  // namespace cnnplan
