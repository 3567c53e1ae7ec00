// Converts protobuf messages to plain values; no other file uses protobuf.
#include "planner/import/onnx/onnx_file.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include "planner/base/error.hpp"
#include "planner/import/onnx/printable.hpp"

static_assert(std::endian::native == std::endian::little, "tensors in files are little-endian");

namespace cnnplan {
namespace {

constexpr std::int64_t max_extent = std::numeric_limits<std::int32_t>::max();

TensorType type_of(int type) {
  switch (type) {
    case onnx::TensorProto::FLOAT16:
      return TensorType::float16;
    case onnx::TensorProto::BFLOAT16:
      return TensorType::bfloat16;
    case onnx::TensorProto::FLOAT:
      return TensorType::float32;
    case onnx::TensorProto::DOUBLE:
      return TensorType::float64;
    case onnx::TensorProto::INT32:
      return TensorType::int32;
    case onnx::TensorProto::INT64:
      return TensorType::int64;
    default:
      return TensorType::other;
  }
}

// Returns the numbers of a field as elements of type T.
template <typename T, typename Field>
std::string bytes_of(const Field& field) {
  std::string bytes;
  bytes.reserve(field.size() * sizeof(T));
  for (const auto number : field) {
    const T element = static_cast<T>(number);
    char buffer[sizeof(T)];
    std::memcpy(buffer, &element, sizeof(T));
    bytes.append(buffer, sizeof(T));
  }
  return bytes;
}

// Files hold either the bytes of the values, or numbers in the field of their type.
std::string take_bytes(onnx::TensorProto& tensor, TensorType type) {
  if (tensor.has_raw_data()) return std::move(*tensor.mutable_raw_data());
  switch (type) {
    case TensorType::float16:
    case TensorType::bfloat16:
      return bytes_of<std::uint16_t>(tensor.int32_data());
    case TensorType::float32:
      return bytes_of<float>(tensor.float_data());
    case TensorType::float64:
      return bytes_of<double>(tensor.double_data());
    case TensorType::int32:
      return bytes_of<std::int32_t>(tensor.int32_data());
    case TensorType::int64:
      return bytes_of<std::int64_t>(tensor.int64_data());
    case TensorType::other:
      break;
  }
  return {};
}

class GraphReader {
 public:
  explicit GraphReader(const std::string& file) : file_(file) {}

  OnnxGraph graph(onnx::ModelProto& model) const;

 private:
  std::int64_t opset_of(const onnx::ModelProto& model) const;
  std::int64_t size_of(const onnx::TensorProto& proto) const;
  TensorPointer tensor(onnx::TensorProto& proto) const;
  OnnxAttribute attribute(onnx::AttributeProto& proto) const;
  OnnxNode node(onnx::NodeProto& proto) const;
  OnnxValue value(const onnx::ValueInfoProto& proto) const;
  [[noreturn]] void refuse(std::string place, std::string value, std::string allowed) const {
    throw InputError({file_, std::move(place), std::move(value), std::move(allowed)});
  }

  const std::string& file_;
};

std::int64_t GraphReader::opset_of(const onnx::ModelProto& model) const {
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    if (!set.domain().empty() && set.domain() != "ai.onnx") continue;
    if (set.version() >= oldest_opset && set.version() <= newest_opset) return set.version();
    refuse("opset_import",
           "opset " + std::to_string(set.version()),
           std::to_string(oldest_opset) + " to " + std::to_string(newest_opset));
  }
  refuse("opset_import", "no opset of the standard operators", "an ONNX model that names one");
}

// Returns the bytes of the values that the dims imply.
std::int64_t GraphReader::size_of(const onnx::TensorProto& proto) const {
  const std::string place = "tensor '" + printable(proto.name()) + '\'';
  std::int64_t bytes = element_bytes(type_of(proto.data_type()));
  for (const std::int64_t extent : proto.dims()) {
    const bool is_extent = extent >= 0 && extent <= max_extent;
    if (!is_extent || __builtin_mul_overflow(bytes, extent, &bytes)) {
      refuse(place,
             "an extent of " + std::to_string(extent),
             "0 to " + std::to_string(max_extent) + ", with a product that is a 64-bit integer");
    }
  }
  return bytes;
}

TensorPointer GraphReader::tensor(onnx::TensorProto& proto) const {
  const std::int64_t bytes = size_of(proto);
  OnnxTensor tensor{.name = proto.name(),
                    .dims = {proto.dims().begin(), proto.dims().end()},
                    .type = type_of(proto.data_type())};
  tensor.is_external = proto.data_location() == onnx::TensorProto::EXTERNAL;
  if (tensor.is_external) return std::make_shared<const OnnxTensor>(std::move(tensor));
  tensor.bytes = take_bytes(proto, tensor.type);
  if (tensor.type != TensorType::other && std::cmp_not_equal(tensor.bytes.size(), bytes)) {
    refuse("tensor '" + printable(tensor.name) + '\'',
           std::to_string(tensor.bytes.size()) + " bytes",
           std::to_string(bytes) + ", as its dims say");
  }
  return std::make_shared<const OnnxTensor>(std::move(tensor));
}

OnnxAttribute GraphReader::attribute(onnx::AttributeProto& proto) const {
  switch (proto.type()) {
    case onnx::AttributeProto::INT:
      return static_cast<std::int64_t>(proto.i());
    case onnx::AttributeProto::FLOAT:
      return proto.f();
    case onnx::AttributeProto::STRING:
      return proto.s();
    case onnx::AttributeProto::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case onnx::AttributeProto::TENSOR:
      return tensor(*proto.mutable_t());
    default:
      return {};
  }
}

OnnxNode GraphReader::node(onnx::NodeProto& proto) const {
  OnnxNode node{.name = proto.name(),
                .type = proto.op_type(),
                .domain = proto.domain() == "ai.onnx" ? "" : proto.domain(),
                .inputs = {proto.input().begin(), proto.input().end()},
                .outputs = {proto.output().begin(), proto.output().end()},
                .attributes = {}};
  for (onnx::AttributeProto& own : *proto.mutable_attribute()) {
    node.attributes.insert_or_assign(own.name(), attribute(own));
  }
  return node;
}

OnnxValue GraphReader::value(const onnx::ValueInfoProto& proto) const {
  OnnxValue value{.name = proto.name()};
  if (!proto.type().has_tensor_type()) return value;
  const auto& tensor = proto.type().tensor_type();
  const TensorType type = type_of(tensor.elem_type());
  value.is_real = type != TensorType::int32 && type != TensorType::int64 &&
                  (type != TensorType::other || tensor.elem_type() == 0);
  value.has_shape = tensor.has_shape();
  for (const auto& dim : tensor.shape().dim()) {
    const std::int64_t extent = dim.has_dim_value() ? dim.dim_value() : 0;
    value.dims.push_back(extent > 0 && extent <= max_extent ? extent : 0);
    value.dim_names.push_back(dim.dim_param());
  }
  return value;
}

OnnxGraph GraphReader::graph(onnx::ModelProto& model) const {
  onnx::GraphProto& proto = *model.mutable_graph();
  OnnxGraph graph{.name = proto.name(), .opset = opset_of(model)};
  for (onnx::TensorProto& initializer : *proto.mutable_initializer()) {
    graph.initializers.insert_or_assign(initializer.name(), tensor(initializer));
  }
  for (onnx::NodeProto& own : *proto.mutable_node()) graph.nodes.push_back(node(own));
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (!graph.initializers.contains(input.name())) graph.inputs.push_back(value(input));
  }
  for (const onnx::ValueInfoProto& output : proto.output()) graph.outputs.push_back(value(output));
  return graph;
}

}  // namespace

bool has_onnx() {
  return true;
}

OnnxGraph parse_onnx(std::string_view content, const std::string& file) {
  // Protobuf must not log, because the error already reports the problem.
  google::protobuf::SetLogHandler(nullptr);
  onnx::ModelProto model;
  const bool is_message = std::cmp_less_equal(content.size(), max_onnx_bytes) &&
                          model.ParseFromArray(content.data(), static_cast<int>(content.size()));
  if (!is_message || !model.has_graph() || model.graph().node().empty()) {
    throw InputError({.file = file,
                      .pointer = "",
                      .value = std::to_string(content.size()) + " bytes that are neither",
                      .allowed = "a JSON file of this program, or a whole ONNX model of at most " +
                                 std::to_string(max_onnx_bytes) + " bytes"});
  }
  return GraphReader(file).graph(model);
}

}  // namespace cnnplan
