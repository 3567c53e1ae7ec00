// Reads a network from a network file or an ONNX model, as commands accept both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {

struct SourceOfNetwork {
  std::string_view content;  // of the whole file
  std::string file;          // for messages
  std::string input_size;    // "512x512", for models also "3x512x512"; empty: the file's
};

// Recognises `content` as a network file or a model, and parses it. Notes for the user are appended
// to `notes`.
// @throws InputError for content that is neither a valid network nor a valid model, or for a size
// that does not fit; UnmappedNodes as import_onnx does, EnvironmentError for a model in a build
// without ONNX
Network parse_network_or_model(const SourceOfNetwork& source, std::vector<std::string>& notes);

}  // namespace cnnplan
