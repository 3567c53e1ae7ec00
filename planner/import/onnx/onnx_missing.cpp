// Replaces onnx_file.cpp in builds that did not find protobuf or ONNX.
#include "planner/base/error.hpp"
#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan {

bool has_onnx() {
  return false;
}

OnnxGraph parse_onnx(std::string_view, const std::string& file) {
  throw EnvironmentError(
      file +
      ": no JSON, and this build reads no ONNX, because it was made without protobuf "
      "and ONNX (Debian: libprotobuf-dev, libonnx-dev)");
}

}  // namespace cnnplan
