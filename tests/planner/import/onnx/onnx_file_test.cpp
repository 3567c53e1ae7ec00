// Tests reading ONNX files: versions, tensors, and broken files.
#include "planner/import/onnx/onnx_file.hpp"

#include <random>

#include <doctest/doctest.h>

#include "planner/import/onnx/tensor_values.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

// Returns a model with some of everything.
std::string sample_bytes() {
  ModelBuilder model({0, 3, 16, 16});
  model.weight("w", {4, 3, 3, 3}).weight("b", {4}).weight("fc", {10, 196});
  model.integers("target", {-1, 196});
  model.node("Conv", {"x", "w", "b"}, {"c"}).set("strides", Dims{1, 1});
  model.node("Relu", {"c"}, {"r"}).called("relu");
  model.node("MaxPool", {"r"}, {"p"}).set("kernel_shape", Dims{2, 2}).set("strides", Dims{2, 2});
  model.node("Reshape", {"p", "target"}, {"f"});
  model.node("Gemm", {"f", "fc"}).set("transB", std::int64_t{1});
  return model.bytes();
}

// Returns true for the bytes of a model, and false for bytes that are refused. Any other result
// fails the test.
bool is_imported(const std::string& bytes) {
  try {
    import_onnx(parse_onnx(bytes, "m.onnx"), "m.onnx", {});
    return true;
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::bad_input);
    return false;
  }
}

TEST_CASE("ONNX files are distinguished from JSON by their first character") {
  CHECK(is_onnx(sample_bytes()));
  CHECK_FALSE(is_onnx("{}"));
  CHECK_FALSE(is_onnx(" \n\t[1]"));
  CHECK_FALSE(is_onnx(""));
  CHECK_FALSE(is_onnx("\n"));
  CHECK_FALSE(is_onnx("\xef\xbb\xbf{}"));
}

TEST_CASE("Opsets from 7 to 20 are read, whatever the version of the file") {
  for (std::int64_t opset = 6; opset <= 21; ++opset) {
    CAPTURE(opset);
    ModelBuilder model({1, 4, 8, 8}, opset);
    model.node("Relu", {"x"});
    if (opset >= 7 && opset <= 20) {
      CHECK(model.import().network.layer_count() == 3);
    } else {
      CHECK(contains(problem_of([&] { model.import(); }).allowed, "7 to 20"));
    }
  }
  ModelBuilder none;
  none.node("Relu", {"x"});
  none.message().clear_opset_import();
  CHECK(problem_of([&] { none.import(); }).pointer == "opset_import");
}

TEST_CASE("Tensors: numbers of all types, from fields and from bytes") {
  const auto values_of_tensor = [](const onnx::TensorProto& tensor) {
    ModelBuilder model;
    *model.message().mutable_graph()->add_initializer() = tensor;
    model.node("Relu", {"x"});
    return reals_of(*parse_onnx(model.bytes(), "m").initializers.at("t"));
  };
  onnx::TensorProto tensor;
  tensor.set_name("t");
  tensor.add_dims(2);
  tensor.set_data_type(onnx::TensorProto::FLOAT16);
  tensor.add_int32_data(0xC100);  // -2.5
  tensor.add_int32_data(0x0001);  // the smallest
  CHECK(values_of_tensor(tensor) == std::vector<double>{-2.5, 1.0 / (1 << 24)});
  tensor.set_data_type(onnx::TensorProto::BFLOAT16);
  tensor.clear_int32_data();
  tensor.set_raw_data(std::string("\x20\xC0\x80\x3F", 4));
  CHECK(values_of_tensor(tensor) == std::vector<double>{-2.5, 1.0});
  const double numbers[] = {1e300, -0.1};
  tensor.set_data_type(onnx::TensorProto::DOUBLE);
  tensor.set_raw_data(std::string(reinterpret_cast<const char*>(numbers), sizeof numbers));
  CHECK(values_of_tensor(tensor) == std::vector<double>{1e300, -0.1});
  tensor.clear_raw_data();
  tensor.set_data_type(onnx::TensorProto::INT32);
  tensor.add_int32_data(-7);
  tensor.add_int32_data(8);
  CHECK(values_of_tensor(tensor) == std::vector<double>{-7, 8});
}

TEST_CASE("Tensors: as many bytes as their dims say, and dims in range") {
  const auto problem_with = [](auto&& change) {
    ModelBuilder model;
    model.weight("w", {2, 2}).node("Relu", {"x"});
    change(*model.message().mutable_graph()->mutable_initializer(0));
    return problem_of([&] { model.import(); });
  };
  CHECK(contains(problem_with([](auto& w) { w.set_dims(0, 3); }).value, "16 bytes"));
  CHECK(contains(problem_with([](auto& w) { w.set_dims(0, -1); }).value, "-1"));
  CHECK(contains(problem_with([](auto& w) { w.set_dims(0, std::int64_t{1} << 40); }).pointer, "w"));
  CHECK_FALSE(problem_with([](auto& w) {
                for (int i = 0; i < 4; ++i) w.add_dims(2000000000);
              }).file.empty());
}

TEST_CASE("Broken files: truncated anywhere") {
  const std::string whole = sample_bytes();
  CHECK(is_imported(whole));
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 400) {
    refused += is_imported(whole.substr(0, length)) ? 0 : 1;
  }
  CHECK(refused >= 200);
}

TEST_CASE("Broken files: bytes changed, taken out and put in anywhere") {
  const std::string whole = sample_bytes();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    const std::size_t place = random() % bytes.size();
    const char byte = static_cast<char>(random() % 256);
    if (i % 3 == 0) bytes[place] = byte;
    if (i % 3 == 1) bytes.erase(place, 1 + random() % 8);
    if (i % 3 == 2) bytes.insert(place, 1 + random() % 8, byte);
    refused += is_imported(bytes) ? 0 : 1;
  }
  CHECK(refused >= 200);
}

// The content of names, numbers and dims changes, but the message stays whole.
TEST_CASE("Broken files: the structure of a model with the content of another") {
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    onnx::ModelProto model;
    REQUIRE(model.ParseFromString(sample_bytes()));
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx::NodeProto& node = *graph.mutable_node(static_cast<int>(random() % 5));
    onnx::NodeProto& other = *graph.mutable_node(static_cast<int>(random() % 5));
    switch (random() % 5) {
      case 0:
        node.set_op_type(other.op_type());
        break;
      case 1:
        node.mutable_input()->Swap(other.mutable_input());
        break;
      case 2:
        node.mutable_attribute()->Swap(other.mutable_attribute());
        break;
      case 3:
        for (auto& attribute : *node.mutable_attribute()) {
          for (auto& value : *attribute.mutable_ints()) {
            value = static_cast<std::int64_t>(random()) << (random() % 33);
          }
        }
        break;
      default:
        node.mutable_output()->Swap(other.mutable_output());
    }
    refused += is_imported(model.SerializeAsString()) ? 0 : 1;
  }
  CHECK(refused >= 200);
}

}  // namespace
}  // namespace cnnplan::test
