// Tests the names that layers get from an ONNX model, and the sizes of its inputs.
#include <doctest/doctest.h>

#include "planner/import/onnx/input_dims.hpp"
#include "planner/import/onnx/layer_names.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

using Dims = std::vector<std::int64_t>;

OnnxNode node(const std::string& name, const std::string& type, const std::string& weight = "") {
  OnnxNode result{.name = name, .type = type, .domain = {}, .inputs = {"x"}, .outputs = {"y"}};
  if (!weight.empty()) result.inputs.push_back(weight);
  return result;
}

TEST_CASE("Names: of the module that a weight belongs to, else of the node's path") {
  CHECK(source_name(node("/conv/Conv", "Conv", "layer1.0.conv1.weight")) == "layer1.0.conv1");
  CHECK(source_name(node("/layer1/layer1.0/conv1/Conv", "Conv", "onnx::Conv_12")) ==
        "layer1.0.conv1");
  CHECK(source_name(node("/layer1/layer1.0/relu_1/Relu", "Relu")) == "layer1.0.relu_1");
  CHECK(source_name(node("/layer1/layer1.0/Add", "Add")) == "layer1.0.Add");
  CHECK(source_name(node("/features/features.3/Relu", "Relu")) == "features.3.Relu");
  CHECK(source_name(node("", "Relu")) == "y");
}

TEST_CASE("Names: allowed in networks, and no name twice") {
  LayerNames names;
  CHECK(names.unique("conv") == "conv");
  CHECK(names.unique("conv") == "conv_2");
  CHECK(names.unique("conv") == "conv_3");
  CHECK(names.unique("conv_2") == "conv_2_2");
  CHECK(names.unique("loss") == "loss_2");
  CHECK(names.unique("sgd") == "sgd_2");
  CHECK(names.unique("a/b \xff") == "a_b__");
  CHECK(names.unique("") == "layer");
  CHECK(names.unique("..") == "layer..");
  CHECK(names.unique(std::string(1000, 'x')).size() == 200);
}

TEST_CASE("Input dims: of the file, with those that are given from the right") {
  const OnnxValue open{.name = "x",
                       .has_shape = true,
                       .dims = {0, 3, 0, 0},
                       .dim_names = {"batch", "", "height", ""}};
  CHECK(input_dims(open, "5x6", "m") == Dims{1, 3, 5, 6});
  CHECK(input_dims(open, "4x5x6", "m") == Dims{1, 4, 5, 6});
  CHECK(input_dims(open, "2x4x5x6", "m") == Dims{2, 4, 5, 6});
  CHECK(contains(problem_of([&] { input_dims(open, "", "m"); }).value, "(batch, 3, height, ?)"));
  CHECK(problem_of([&] { input_dims(open, "1x2x3x4x5", "m"); }).file == "m");
  for (const char* wrong : {"5", "5x", "0x5", "5x-1", "axb", "1x2x3x4x5x6", "5x1234567890"}) {
    CAPTURE(wrong);
    CHECK(problem_of([&] { input_dims(open, wrong, "m"); }).file == "--input");
  }
  const OnnxValue none{.name = "x"};
  CHECK(input_dims(none, "3x5x6", "m") == Dims{1, 3, 5, 6});
  CHECK(input_dims(none, "2x3x4x5x6", "m") == Dims{2, 3, 4, 5, 6});
  CHECK(problem_of([&] { input_dims(none, "5x6", "m"); }).file == "m");
  const OnnxValue whole{.name = "x", .has_shape = true, .dims = {2, 8}, .dim_names = {"", ""}};
  CHECK(input_dims(whole, "", "m") == Dims{2, 8});
  CHECK(problem_of([&] { input_dims(whole, "3x2x8", "m"); }).file == "m");
}

}  // namespace
}  // namespace cnnplan::test
