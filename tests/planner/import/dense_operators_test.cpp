// Tests the import of fully connected layers, their weights and their biases.
#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("Gemm: the weight keeps the order of the flattened image, transposed or not") {
  for (const std::int64_t is_transposed : {0, 1}) {
    CAPTURE(is_transposed);
    ModelBuilder model({1, 2, 1, 3});
    model.weight("w", is_transposed != 0 ? Dims{2, 6} : Dims{6, 2}).weight("b", {2});
    model.node("Flatten", {"x"}, {"f"});
    model.node("Gemm", {"f", "w", "b"}).set("transB", is_transposed);
    const ImportedModel imported = model.import();
    CHECK(last_layer(imported).parameters == LayerParameters(FullyConnected{.outputs = 2}));
    const ImportedTensor& weight = tensor_of(imported, "weight");
    CHECK(weight.extents == Dims{2, 2, 1, 3});
    const std::vector<double> rows{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const std::vector<double> columns{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
    CHECK(values_of(weight, "m.onnx") == (is_transposed != 0 ? rows : columns));
    CHECK(tensor_of(imported, "bias").extents == Dims{2});
  }
}

TEST_CASE("Gemm: alpha and beta become part of weight and bias; a bias may be one number") {
  for (const Dims& dims : {Dims{}, Dims{1}, Dims{1, 1}}) {
    ModelBuilder model({1, 2});
    model.weight("w", {2, 2}).reals("b", dims, {3});
    model.node("Gemm", {"x", "w", "b"}).set("alpha", 0.5F).set("beta", -2.0F);
    const ImportedModel imported = model.import();
    CHECK(values_of(tensor_of(imported, "weight"), "m.onnx") ==
          std::vector<double>{0, 1, 0.5, 1.5});
    CHECK(values_of(tensor_of(imported, "bias"), "m.onnx") == std::vector<double>{-6, -6});
  }
}

TEST_CASE("MatMul: a constant that is added afterwards is its bias") {
  ModelBuilder model({1, 6});
  model.weight("w", {2, 6}).weight("b", {2});
  model.node("Transpose", {"w"}, {"t"}).set("perm", Dims{1, 0});
  model.node("MatMul", {"x", "t"}, {"p"});
  model.node("Add", {"b", "p"});
  const ImportedModel imported = model.import();
  CHECK(last_layer(imported).parameters == LayerParameters(FullyConnected{.outputs = 2}));
  CHECK(imported.network.parameter_count() == 14);
  CHECK(values_of(tensor_of(imported, "weight"), "m.onnx")[1] == 1);
}

TEST_CASE("MatMul: any number of transposed weights is taken, since none is copied") {
  ModelBuilder model({1, 2049});
  for (const char* weight : {"a", "b"}) model.weight(weight, {2049, 2049});
  model.node("Transpose", {"a"}, {"s"});
  model.node("MatMul", {"x", "s"}, {"p"});
  model.node("Transpose", {"b"}, {"t"});
  model.node("MatMul", {"p", "t"});
  CHECK(model.import().network.parameter_count() == 2 * 2049 * 2049);
}

TEST_CASE("MatMul: a sum is no bias if the product has other users or the dims differ") {
  ModelBuilder twice({1, 6});
  twice.weight("w", {6, 2}).weight("b", {2});
  twice.node("MatMul", {"x", "w"}, {"p"});
  twice.node("Add", {"p", "b"}, {"s"});
  twice.node("Add", {"p", "s"});
  CHECK(contains(refusal_of(twice), "other nodes use"));
  ModelBuilder samples({2, 6});
  samples.weight("w", {6, 2}).weight("b", {2, 1});
  samples.node("MatMul", {"x", "w"}, {"p"});
  samples.node("Add", {"p", "b"});
  CHECK(contains(refusal_of(samples), "for each channel"));
}

TEST_CASE("Add: is no bias where the product has another user") {
  ModelBuilder model;
  model.weight("w", {2, 4, 1, 1}).reals("b", {1, 2, 1, 1}, {1, 2});
  model.node("Conv", {"x", "w"}, {"c"});
  model.node("Identity", {"c"}, {"i"});
  model.node("Relu", {"c"}, {"r"});
  model.node("Add", {"i", "b"}, {"a"});
  model.node("Add", {"a", "r"});
  CHECK(contains(refusal_of(model), "other nodes use"));
  ModelBuilder alone;
  alone.weight("w", {2, 4, 1, 1}).reals("b", {1, 2, 1, 1}, {1, 2});
  alone.node("Conv", {"x", "w"}, {"c"});
  alone.node("Identity", {"c"}, {"i"});
  alone.node("Add", {"i", "b"});
  CHECK(std::get<Convolution>(last_layer(alone.import()).parameters).bias);
}

TEST_CASE("Add: a constant for each channel is the bias of the convolution before") {
  ModelBuilder model;
  model.weight("w", {2, 4, 3, 3}).weight("b", {2, 1, 1});
  model.node("Conv", {"x", "w"}, {"c"});
  model.node("Add", {"c", "b"});
  const ImportedModel imported = model.import();
  CHECK(std::get<Convolution>(last_layer(imported).parameters).bias);
  CHECK(tensor_of(imported, "bias").extents == Dims{2});
}

TEST_CASE("Gemm: refusals") {
  ModelBuilder image;
  image.weight("w", {8, 2});
  image.node("Gemm", {"x", "w"});
  CHECK(contains(refusal_of(image), "no fully connected layer"));
  ModelBuilder inputs({1, 6});
  inputs.weight("w", {5, 2});
  inputs.node("Gemm", {"x", "w"});
  CHECK(contains(refusal_of(inputs), "6 inputs"));
  ModelBuilder transposed({1, 6});
  transposed.weight("w", {6, 2});
  transposed.node("Gemm", {"x", "w"}).set("transA", std::int64_t{1});
  CHECK(contains(refusal_of(transposed), "first input is transposed"));
  ModelBuilder bias({1, 6});
  bias.weight("w", {6, 2}).weight("b", {3});
  bias.node("Gemm", {"x", "w", "b"});
  CHECK(contains(refusal_of(bias), "2 outputs"));
  ModelBuilder matrix({2, 6});
  matrix.weight("w", {6, 2}).weight("b", {2, 2});
  matrix.node("Gemm", {"x", "w", "b"});
  CHECK(contains(refusal_of(matrix), "2 outputs"));
  ModelBuilder product({1, 6});
  product.node("MatMul", {"x", "x"});
  CHECK(contains(refusal_of(product), "two activations"));
}

}  // namespace
}  // namespace cnnplan::test
