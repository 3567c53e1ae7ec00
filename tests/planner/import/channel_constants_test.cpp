// Tests of planner/import/channel_constants: sums and products with constants.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

using Reals = std::vector<double>;

// A convolution of (1, 2, 8, 8) to "c", 2 channels, with the bias (1, 2) or without; weights are
// (0, 1) and (2, 3).
ModelBuilder convolution_model(bool has_bias) {
  ModelBuilder model({1, 2, 8, 8});
  model.weight("w", {2, 2, 1, 1}).reals("b", {2}, {1, 2}).reals("k", {2, 1, 1}, {10, -1});
  std::vector<std::string> inputs{"x", "w"};
  if (has_bias) inputs.push_back("b");
  model.node("Conv", inputs, {"c"});
  return model;
}

Reals values(const ImportedModel& model, const std::string& name) {
  return values_of(tensor_of(model, name), "m.onnx");
}

TEST_CASE("Mul and Div: weights and bias of the layer before, by channel or all") {
  ModelBuilder by_channel = convolution_model(true);
  by_channel.node("Mul", {"k", "c"});
  const ImportedModel scaled = by_channel.import();
  CHECK(scaled.network.layer_count() == 3);
  CHECK(values(scaled, "weight") == Reals{0, 10, -2, -3});
  CHECK(values(scaled, "bias") == Reals{10, -2});
  ModelBuilder by_number = convolution_model(false);
  by_number.reals("half", {}, {2});
  by_number.node("Div", {"c", "half"});
  const ImportedModel halved = by_number.import();
  CHECK(values(halved, "weight") == Reals{0, 0.5, 1, 1.5});
  CHECK_FALSE(std::get<Convolution>(last_layer(halved).parameters).bias);
}

TEST_CASE("Add and Sub: on top of a bias, or as one") {
  ModelBuilder sum = convolution_model(true);
  sum.node("Add", {"c", "k"});
  CHECK(values(sum.import(), "bias") == Reals{11, 1});
  ModelBuilder difference = convolution_model(false);
  difference.node("Sub", {"c", "k"});
  const ImportedModel negative = difference.import();
  CHECK(std::get<Convolution>(last_layer(negative).parameters).bias);
  CHECK(values(negative, "bias") == Reals{-10, 1});
  ModelBuilder from = convolution_model(true);
  from.node("Sub", {"k", "c"});
  const ImportedModel rest = from.import();
  CHECK(values(rest, "bias") == Reals{9, -3});
  CHECK(values(rest, "weight") == Reals{0, -1, -2, -3});
  ModelBuilder number = convolution_model(false);
  number.reals("n", {1}, {4});
  number.node("Add", {"n", "c"});
  CHECK(values(number.import(), "bias") == Reals{4, 4});
}

TEST_CASE("Constants one after the other, in their order") {
  ModelBuilder model = convolution_model(true);
  model.reals("n", {}, {2});
  model.node("Mul", {"c", "k"}, {"d"});
  model.node("Add", {"d", "n"}, {"e"});
  model.node("Mul", {"e", "n"}, {"f"});
  model.node("Sub", {"f", "k"});
  const ImportedModel imported = model.import();
  CHECK(values(imported, "weight") == Reals{0, 20, -4, -6});
  // ((1, 2) (10, -1) + 2) 2 - (10, -1)
  CHECK(values(imported, "bias") == Reals{14, 1});
}

TEST_CASE("Constants behind a batch norm: its scale and shift") {
  ModelBuilder model({1, 2, 8, 8});
  for (const char* name : {"s", "b", "m", "v"}) model.weight(name, {2});
  model.reals("k", {1, 2, 1, 1}, {3, 5});
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"n"});
  model.node("Mul", {"n", "k"}, {"t"});
  model.node("Add", {"t", "k"});
  const ImportedModel imported = model.import();
  CHECK(imported.network.layer_count() == 3);
  CHECK(values(imported, "scale") == Reals{0, 5});
  CHECK(values(imported, "shift") == Reals{3, 10});
  CHECK(values(imported, "mean") == Reals{0, 1});
  CHECK(values(imported, "variance") == Reals{0, 1});
}

TEST_CASE("Constants behind a transposed convolution: one number for all channels") {
  const auto model = [](const Dims& dims, const std::vector<float>& factors) {
    ModelBuilder own({1, 2, 8, 8});
    own.weight("w", {2, 2, 1, 1}).reals("k", dims, factors);
    own.node("ConvTranspose", {"x", "w"}, {"c"});
    own.node("Mul", {"c", "k"});
    return own;
  };
  ModelBuilder number = model({1}, {2});
  CHECK(values(number.import(), "weight") == Reals{0, 2, 4, 6});
  ModelBuilder several = model({2, 1, 1}, {2, 3});
  CHECK(contains(refusal_of(several), "several factors"));
}

TEST_CASE("Constants: factors are noted, once for a layer, and bounded together") {
  ModelBuilder model = convolution_model(true);
  model.node("Mul", {"c", "k"}, {"d"});
  model.node("Mul", {"d", "k"});
  const std::vector<std::string> notes = model.import().notes;
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "after 'c' into its parameters"));
  ModelBuilder sum = convolution_model(true);
  sum.node("Add", {"c", "k"});
  CHECK(sum.import().notes.empty());
  constexpr std::int64_t filters = 1 << 18;
  ModelBuilder large({1, 1});
  large.weight("w", {filters, 1}).reals("f", {filters}, std::vector<float>(filters, 2));
  large.node("Gemm", {"x", "w"}, {"y0"}).set("transB", std::int64_t{1});
  for (int i = 0; i < 64; ++i) {
    large.node("Mul", {"y" + std::to_string(i), "f"}, {"y" + std::to_string(i + 1)});
  }
  large.output("y64");
  CHECK(contains(refusals_of(large).at(0).reason, "too many constants"));
}

TEST_CASE("Mul: factors of a fully connected layer by output, however its weight lies") {
  for (const std::int64_t is_transposed : {0, 1}) {
    ModelBuilder model({1, 3});
    model.weight("w", is_transposed != 0 ? Dims{2, 3} : Dims{3, 2}).reals("k", {2}, {10, -1});
    model.node("Gemm", {"x", "w"}, {"g"}).set("transB", is_transposed);
    model.node("Mul", {"g", "k"});
    const Reals rows{0, 10, 20, -3, -4, -5};
    const Reals columns{0, 20, 40, -1, -3, -5};
    CHECK(values(model.import(), "weight") == (is_transposed != 0 ? rows : columns));
  }
}

TEST_CASE("Conv: a bias of another size is none") {
  for (const Dims& dims : {Dims{1}, Dims{2, 1}, Dims{3}}) {
    ModelBuilder model({1, 2, 8, 8});
    model.weight("w", {2, 2, 1, 1}).weight("b", dims);
    model.node("Conv", {"x", "w", "b"});
    CHECK(contains(refusal_of(model), "in place of (2)"));
  }
}

TEST_CASE("Constants: refusals") {
  const auto refused =
      [](const std::string& type, const Dims& dims, const std::vector<float>& numbers) {
        ModelBuilder model = convolution_model(true);
        model.reals("n", dims, numbers);
        model.node(type, {"c", "n"});
        return refusal_of(model);
      };
  CHECK(contains(refused("Div", {}, {0}), "divides by 0"));
  CHECK(contains(refused("Mul", {}, {0}), "by 0"));
  CHECK(contains(refused("Mul", {}, {std::nanf("")}), "not finite"));
  CHECK(contains(refused("Add", {}, {HUGE_VALF}), "not finite"));
  CHECK(contains(refused("Mul", {2}, {1, 2}), "for each channel"));
  CHECK(contains(refused("Mul", {1, 1, 1, 1, 1}, {2}), "for each channel"));
  ModelBuilder behind;
  behind.reals("n", {}, {2});
  behind.node("Relu", {"x"}, {"r"});
  behind.node("Mul", {"r", "n"});
  CHECK(contains(refusal_of(behind), "after 'r', which has no parameters"));
  ModelBuilder input;
  input.reals("n", {}, {2});
  input.node("Mul", {"x", "n"});
  CHECK(contains(refusal_of(input), "with the samples"));
  ModelBuilder used = convolution_model(true);
  used.node("Mul", {"c", "k"}, {"d"});
  used.node("Add", {"c", "d"});
  CHECK(contains(refusal_of(used), "other nodes use"));
  ModelBuilder product;
  product.node("Mul", {"x", "x"});
  CHECK(contains(refusal_of(product), "two activations"));
  ModelBuilder divided = convolution_model(true);
  divided.node("Div", {"k", "c"});
  CHECK(contains(refusal_of(divided), "by an activation"));
}

}  // namespace
}  // namespace cnnplan::test
