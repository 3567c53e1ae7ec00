// Builds the models around each operator, so that a change of the operator changes the network.
#include "tests/planner/import/operator_models.hpp"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace cnnplan::test {
namespace {

using Names = std::vector<std::string>;

// A convolution of one element with a bias, which sums and products with constants change.
void add_convolution(ModelBuilder& model, const std::string& from, const std::string& to) {
  model.weight("cw", {4, 4, 1, 1}).weight("cb", {4});
  model.node("Conv", {from, "cw", "cb"}, {to});
}

// A fully connected layer, which needs a flattened input of `inputs` numbers.
void add_gemm(ModelBuilder& model, const std::string& from, std::int64_t inputs) {
  model.weight("gw", {inputs, 3});
  model.node("Gemm", {from, "gw"});
}

// A node whose last input is an attribute before `first_opset`.
NodeBuilder with_list(ModelBuilder& model,
                      const std::string& type,
                      const Names& names,
                      const Dims& list,
                      bool is_attribute,
                      const std::string& attribute) {
  Names inputs{names.front()};
  if (!is_attribute) {
    model.integers(attribute, list);
    inputs.push_back(attribute);
  }
  NodeBuilder node = model.node(type, inputs, {names.back()});
  if (is_attribute) node.set(attribute, list);
  return node;
}

template <const char* type>
NodeBuilder plain(ModelBuilder& model, std::int64_t) {
  return model.node(type, {"x"});
}

template <const char* type>
NodeBuilder pooling(ModelBuilder& model, std::int64_t) {
  return model.node(type, {"x"}).set("kernel_shape", Dims{3, 3});
}

template <const char* type>
NodeBuilder two_inputs(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  return model.node(type, {"c", "x"});
}

template <const char* type>
NodeBuilder constant_after(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  model.reals("k", {4, 1, 1}, {2, 3, 4, 5});
  return model.node(type, {"c", "k"});
}

template <const char* type>
NodeBuilder constants(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  model.reals("k", {4, 1, 1}, {2, 3, 4, 5}).reals("l", {}, {2});
  NodeBuilder node = model.node(type, {"k", "l"}, {"m"});
  model.node("Add", {"c", "m"});
  return node;
}

template <const char* type>
NodeBuilder softmax(ModelBuilder& model, std::int64_t) {
  model.weight("gw", {256, 3});
  model.node("Flatten", {"x"}, {"f"});
  model.node("Gemm", {"f", "gw"}, {"g"});
  return model.node(type, {"g"});
}

template <const char* type>
NodeBuilder reduction(ModelBuilder& model, std::int64_t opset) {
  NodeBuilder node = with_list(model, type, {"x", "r"}, {2, 3}, opset < 18, "axes");
  add_gemm(model, "r", 4);
  return node;
}

NodeBuilder batch_norm(ModelBuilder& model, std::int64_t) {
  for (const char* name : {"s", "b", "m", "v"}) model.weight(name, {4});
  return model.node("BatchNormalization", {"x", "s", "b", "m", "v"});
}

NodeBuilder cast(ModelBuilder& model, std::int64_t) {
  return model.node("Cast", {"x"}).set("to", std::int64_t{1});
}

NodeBuilder folded_cast(ModelBuilder& model, std::int64_t) {
  model.reals("list", {2}, {1, 256});
  NodeBuilder node = model.node("Cast", {"list"}, {"target"}).set("to", std::int64_t{7});
  model.node("Reshape", {"x", "target"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder clip(ModelBuilder& model, std::int64_t opset) {
  if (opset < 11) return model.node("Clip", {"x"}).set("min", 0.0F).set("max", 6.0F);
  model.reals("low", {}, {0}).reals("high", {}, {6});
  return model.node("Clip", {"x", "low", "high"});
}

NodeBuilder concat(ModelBuilder& model, std::int64_t) {
  return model.node("Concat", {"x", "x"}).set("axis", std::int64_t{1});
}

NodeBuilder folded_concat(ModelBuilder& model, std::int64_t) {
  model.integers("a", {1}).integers("b", {256});
  NodeBuilder node = model.node("Concat", {"a", "b"}, {"target"}).set("axis", std::int64_t{0});
  model.node("Reshape", {"x", "target"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder convolution(ModelBuilder& model, std::int64_t) {
  model.weight("w", {4, 4, 3, 3});
  return model.node("Conv", {"x", "w"});
}

NodeBuilder transposed_convolution(ModelBuilder& model, std::int64_t) {
  model.weight("w", {4, 2, 3, 3});
  return model.node("ConvTranspose", {"x", "w"});
}

NodeBuilder constant(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  NodeBuilder node = model.node("Constant", {}, {"k"});
  model.node("Add", {"c", "k"});
  return node;
}

NodeBuilder constant_of_shape(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  model.integers("dims", {4, 1, 1});
  NodeBuilder node = model.node("ConstantOfShape", {"dims"}, {"k"});
  model.node("Add", {"c", "k"});
  return node;
}

NodeBuilder flatten(ModelBuilder& model, std::int64_t) {
  NodeBuilder node = model.node("Flatten", {"x"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder folded_flatten(ModelBuilder& model, std::int64_t) {
  model.weight("w", {256, 3, 1});
  model.node("Flatten", {"x"}, {"f"});
  NodeBuilder node = model.node("Flatten", {"w"}, {"v"});
  model.node("MatMul", {"f", "v"});
  return node;
}

NodeBuilder gather(ModelBuilder& model, std::int64_t) {
  model.integers("list", {1, 256, 7}).integers("places", {0, 1});
  NodeBuilder node = model.node("Gather", {"list", "places"}, {"target"});
  model.node("Reshape", {"x", "target"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder gemm(ModelBuilder& model, std::int64_t) {
  model.node("Flatten", {"x"}, {"f"});
  model.weight("gw", {256, 3}).weight("gb", {3});
  return model.node("Gemm", {"f", "gw", "gb"});
}

NodeBuilder local_response_norm(ModelBuilder& model, std::int64_t) {
  return model.node("LRN", {"x"}).set("size", std::int64_t{3});
}

NodeBuilder matmul(ModelBuilder& model, std::int64_t) {
  model.node("Flatten", {"x"}, {"f"});
  model.weight("gw", {256, 3});
  return model.node("MatMul", {"f", "gw"});
}

NodeBuilder pad(ModelBuilder& model, std::int64_t opset) {
  const Dims pads{0, 0, 1, 1, 0, 0, 1, 1};
  NodeBuilder node = with_list(model, "Pad", {"x", "p"}, pads, opset < 11, "pads");
  model.weight("w", {4, 4, 3, 3});
  model.node("Conv", {"p", "w"});
  return node;
}

NodeBuilder reshape(ModelBuilder& model, std::int64_t) {
  model.integers("target", {0, 256});
  NodeBuilder node = model.node("Reshape", {"x", "target"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder folded_reshape(ModelBuilder& model, std::int64_t) {
  model.weight("w", {256, 3}).integers("target", {256, 0});
  model.node("Flatten", {"x"}, {"f"});
  NodeBuilder node = model.node("Reshape", {"w", "target"}, {"v"});
  model.node("MatMul", {"f", "v"});
  return node;
}

NodeBuilder resize(ModelBuilder& model, std::int64_t opset) {
  model.reals("scales", {4}, {1, 1, 2, 2});
  return model.node("Resize", opset < 11 ? Names{"x", "scales"} : Names{"x", "", "scales"});
}

NodeBuilder upsample(ModelBuilder& model, std::int64_t opset) {
  if (opset < 9) return model.node("Upsample", {"x"}).set_reals("scales", {1, 1, 2, 2});
  model.reals("scales", {4}, {1, 1, 2, 2});
  return model.node("Upsample", {"x", "scales"});
}

NodeBuilder shape(ModelBuilder& model, std::int64_t) {
  NodeBuilder node = model.node("Shape", {"x"}, {"target"});
  model.node("Reshape", {"x", "target"});
  return node;
}

NodeBuilder slice_of(ModelBuilder& model, const Names& names, int axis, std::int64_t opset) {
  if (opset < 10) {
    return model.node("Slice", {names.front()}, {names.back()})
        .set("starts", Dims{0})
        .set("ends", Dims{2})
        .set("axes", Dims{axis});
  }
  model.integers("starts", {0}).integers("ends", {2}).integers("axes", {axis});
  return model.node("Slice", {names.front(), "starts", "ends", "axes"}, {names.back()});
}

NodeBuilder slice(ModelBuilder& model, std::int64_t opset) {
  return slice_of(model, {"x", "y"}, 1, opset);
}

NodeBuilder folded_slice(ModelBuilder& model, std::int64_t opset) {
  model.integers("list", {1, 256, 7});
  NodeBuilder node = slice_of(model, {"list", "target"}, 0, opset);
  model.node("Reshape", {"x", "target"}, {"f"});
  add_gemm(model, "f", 256);
  return node;
}

NodeBuilder split(ModelBuilder& model, std::int64_t) {
  return model.node("Split", {"x"}, {"y", "z"}).set("axis", std::int64_t{1});
}

NodeBuilder squeeze(ModelBuilder& model, std::int64_t opset) {
  model.node("GlobalAveragePool", {"x"}, {"g"});
  NodeBuilder node = with_list(model, "Squeeze", {"g", "s"}, {2, 3}, opset < 13, "axes");
  add_gemm(model, "s", 4);
  return node;
}

NodeBuilder folded_squeeze(ModelBuilder& model, std::int64_t opset) {
  add_convolution(model, "x", "c");
  model.weight("k", {1, 4, 1, 1});
  NodeBuilder node = with_list(model, "Squeeze", {"k", "s"}, {0}, opset < 13, "axes");
  model.node("Add", {"c", "s"});
  return node;
}

NodeBuilder unsqueeze(ModelBuilder& model, std::int64_t opset) {
  model.weight("cw", {4, 4, 1, 1}).integers("flat", {1, 4});
  model.node("GlobalAveragePool", {"x"}, {"g"});
  model.node("Reshape", {"g", "flat"}, {"s"});
  NodeBuilder node = with_list(model, "Unsqueeze", {"s", "u"}, {2, 3}, opset < 13, "axes");
  model.node("Conv", {"u", "cw"});
  return node;
}

NodeBuilder folded_unsqueeze(ModelBuilder& model, std::int64_t opset) {
  add_convolution(model, "x", "c");
  model.weight("k", {4});
  NodeBuilder node = with_list(model, "Unsqueeze", {"k", "s"}, {1, 2}, opset < 13, "axes");
  model.node("Add", {"c", "s"});
  return node;
}

NodeBuilder transpose(ModelBuilder& model, std::int64_t) {
  model.integers("groups", {1, 2, 2, 8, 8}).integers("joined", {1, 4, 8, 8});
  model.node("Reshape", {"x", "groups"}, {"a"});
  NodeBuilder node = model.node("Transpose", {"a"}, {"b"}).set("perm", Dims{0, 2, 1, 3, 4});
  model.node("Reshape", {"b", "joined"});
  return node;
}

NodeBuilder folded_transpose(ModelBuilder& model, std::int64_t) {
  model.weight("w", {3, 256});
  model.node("Flatten", {"x"}, {"f"});
  NodeBuilder node = model.node("Transpose", {"w"}, {"v"}).set("perm", Dims{1, 0});
  model.node("MatMul", {"f", "v"});
  return node;
}

template <const char* type>
NodeBuilder one_constant(ModelBuilder& model, std::int64_t) {
  add_convolution(model, "x", "c");
  model.reals("k", {4, 1, 1}, {2.5, 3, 4, 5});
  NodeBuilder node = model.node(type, {"k"}, {"m"});
  model.node("Add", {"c", "m"});
  return node;
}

// Templates take names of operators with linkage.
constexpr char add_type[] = "Add";
constexpr char sub_type[] = "Sub";
constexpr char mul_type[] = "Mul";
constexpr char div_type[] = "Div";
constexpr char sum_type[] = "Sum";
constexpr char floor_type[] = "Floor";
constexpr char identity_type[] = "Identity";
constexpr char relu_type[] = "Relu";
constexpr char leaky_relu_type[] = "LeakyRelu";
constexpr char dropout_type[] = "Dropout";
constexpr char global_average_type[] = "GlobalAveragePool";
constexpr char global_max_type[] = "GlobalMaxPool";
constexpr char average_type[] = "AveragePool";
constexpr char max_type[] = "MaxPool";
constexpr char reduce_mean_type[] = "ReduceMean";
constexpr char reduce_max_type[] = "ReduceMax";
constexpr char softmax_type[] = "Softmax";
constexpr char log_softmax_type[] = "LogSoftmax";

constexpr std::pair<OperatorKey, AddOperator> models[] = {
    {{"Add", Path::mapped}, two_inputs<add_type>},
    {{"Add", Path::folded}, constants<add_type>},
    {{"AveragePool", Path::mapped}, pooling<average_type>},
    {{"BatchNormalization", Path::mapped}, batch_norm},
    {{"Cast", Path::mapped}, cast},
    {{"Cast", Path::folded}, folded_cast},
    {{"Clip", Path::mapped}, clip},
    {{"Concat", Path::mapped}, concat},
    {{"Concat", Path::folded}, folded_concat},
    {{"Constant", Path::folded}, constant},
    {{"ConstantOfShape", Path::folded}, constant_of_shape},
    {{"Conv", Path::mapped}, convolution},
    {{"ConvTranspose", Path::mapped}, transposed_convolution},
    {{"Div", Path::mapped}, constant_after<div_type>},
    {{"Div", Path::folded}, constants<div_type>},
    {{"Dropout", Path::mapped}, plain<dropout_type>},
    {{"Flatten", Path::mapped}, flatten},
    {{"Flatten", Path::folded}, folded_flatten},
    {{"Floor", Path::folded}, one_constant<floor_type>},
    {{"Gather", Path::folded}, gather},
    {{"Gemm", Path::mapped}, gemm},
    {{"GlobalAveragePool", Path::mapped}, plain<global_average_type>},
    {{"GlobalMaxPool", Path::mapped}, plain<global_max_type>},
    {{"Identity", Path::mapped}, plain<identity_type>},
    {{"Identity", Path::folded}, one_constant<identity_type>},
    {{"LRN", Path::mapped}, local_response_norm},
    {{"LeakyRelu", Path::mapped}, plain<leaky_relu_type>},
    {{"LogSoftmax", Path::mapped}, softmax<log_softmax_type>},
    {{"MatMul", Path::mapped}, matmul},
    {{"MaxPool", Path::mapped}, pooling<max_type>},
    {{"Mul", Path::mapped}, constant_after<mul_type>},
    {{"Mul", Path::folded}, constants<mul_type>},
    {{"Pad", Path::mapped}, pad},
    {{"ReduceMax", Path::mapped}, reduction<reduce_max_type>},
    {{"ReduceMean", Path::mapped}, reduction<reduce_mean_type>},
    {{"Relu", Path::mapped}, plain<relu_type>},
    {{"Reshape", Path::mapped}, reshape},
    {{"Reshape", Path::folded}, folded_reshape},
    {{"Resize", Path::mapped}, resize},
    {{"Shape", Path::mapped}, shape},
    {{"Slice", Path::mapped}, slice},
    {{"Slice", Path::folded}, folded_slice},
    {{"Softmax", Path::mapped}, softmax<softmax_type>},
    {{"Split", Path::mapped}, split},
    {{"Squeeze", Path::mapped}, squeeze},
    {{"Squeeze", Path::folded}, folded_squeeze},
    {{"Sub", Path::mapped}, two_inputs<sub_type>},
    {{"Sub", Path::folded}, constants<sub_type>},
    {{"Sum", Path::mapped}, two_inputs<sum_type>},
    {{"Transpose", Path::mapped}, transpose},
    {{"Transpose", Path::folded}, folded_transpose},
    {{"Unsqueeze", Path::mapped}, unsqueeze},
    {{"Unsqueeze", Path::folded}, folded_unsqueeze},
    {{"Upsample", Path::mapped}, upsample},
};

}  // namespace

const std::map<OperatorKey, AddOperator>& operator_models() {
  static const std::map<OperatorKey, AddOperator> found(std::begin(models), std::end(models));
  return found;
}

}  // namespace cnnplan::test
