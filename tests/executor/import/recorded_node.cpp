// Reads the test data that Debian's libonnx-testdata installs.
#include "tests/executor/import/recorded_node.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <onnx/onnx_pb.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/import/onnx/onnx_file.hpp"
#include "planner/import/onnx/tensor_values.hpp"

namespace cnnplan::test {
namespace {

constexpr const char* folder = "/usr/share/libonnx-testdata/data/node/";

constexpr std::int64_t oldest_opset = 7;  // that is read

template <typename Message>
Message read_message(const std::string& file) {
  Message message;
  if (!message.ParseFromString(read_file(file))) throw IoError(file + ": no ONNX message");
  return message;
}

RecordedTensor recorded(const onnx::TensorProto& message) {
  RecordedTensor tensor{.dims = {message.dims().begin(), message.dims().end()}, .values = {}};
  const std::string& bytes = message.raw_data();
  tensor.values.resize(bytes.size() / sizeof(float));
  std::memcpy(tensor.values.data(), bytes.data(), tensor.values.size() * sizeof(float));
  return tensor;
}

}  // namespace

ImportedModel RecordedNode::import() const {
  return import_onnx(parse_onnx(content, "node.onnx"), "node.onnx", {});
}

bool has_recorded_nodes() {
  std::error_code error;
  return std::filesystem::exists(folder, error);
}

RecordedNode recorded_node(const std::string& name) {
  const std::string data = folder + name + "/test_data_set_0/";
  auto model = read_message<onnx::ModelProto>(folder + name + "/model.onnx");
  onnx::GraphProto& graph = *model.mutable_graph();
  // ONNX records an operator that never changed in the oldest form of files.
  onnx::OperatorSetIdProto& opset = *model.mutable_opset_import(0);
  opset.set_version(std::max(opset.version(), oldest_opset));
  const auto tensor = [&](const std::string& kind, int number) {
    return read_message<onnx::TensorProto>(data + kind + "_" + std::to_string(number) + ".pb");
  };
  for (int i = graph.input_size() - 1; i > 0; --i) {
    onnx::TensorProto& constant = *graph.add_initializer();
    constant = tensor("input", i);
    constant.set_name(graph.input(i).name());
    graph.mutable_input()->RemoveLast();
  }
  return {.content = model.SerializeAsString(),
          .input = recorded(tensor("input", 0)),
          .output = recorded(tensor("output", 0))};
}

}  // namespace cnnplan::test
