// Tests the import of batch norms, activations, sums and concatenations.
#include <limits>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

ModelBuilder batch_norm_model(std::int64_t channels) {
  ModelBuilder model;
  for (const char* name : {"s", "b", "m", "v"}) model.weight(name, {channels});
  return model;
}

double max_of_relu(ModelBuilder& model) {
  return std::get<Relu>(last_layer(model.import()).parameters).max;
}

TEST_CASE("BatchNormalization: epsilon and momentum as they were written") {
  ModelBuilder model = batch_norm_model(4);
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "mean", "var"})
      .set("epsilon", 1e-3F)
      .set("momentum", 0.9F)
      .set("training_mode", std::int64_t{1});
  const ImportedModel imported = model.import();
  CHECK(last_layer(imported).parameters ==
        LayerParameters(BatchNorm{.epsilon = 1e-3, .momentum = 0.1}));
  REQUIRE(imported.tensors.size() == 4);
  CHECK(imported.tensors[0].name == "scale");
  CHECK(imported.tensors[1].name == "shift");
  CHECK(imported.tensors[2].name == "mean");
  CHECK(imported.tensors[3].name == "variance");
  CHECK(imported.tensors[3].values->name == "v");
  ModelBuilder inference = batch_norm_model(4);
  inference.node("BatchNormalization", {"x", "s", "b", "m", "v"});
  CHECK(last_layer(inference.import()).parameters ==
        LayerParameters(BatchNorm{.epsilon = 1e-5, .momentum = 0.1}));
}

TEST_CASE("BatchNormalization: refusals") {
  ModelBuilder channels = batch_norm_model(3);
  channels.node("BatchNormalization", {"x", "s", "b", "m", "v"});
  CHECK(contains(refusal_of(channels), "4 channels"));
  ModelBuilder flattened = batch_norm_model(4);
  flattened.node("Flatten", {"x"}, {"f"});
  flattened.node("BatchNormalization", {"f", "s", "b", "m", "v"});
  CHECK(contains(refusal_of(flattened), "flattened"));
  ModelBuilder missing = batch_norm_model(4);
  missing.node("BatchNormalization", {"x", "s", "b", "m"});
  CHECK(contains(refusal_of(missing), "input 4 is missing"));
  ModelBuilder used = batch_norm_model(4);
  used.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"a", "mean"});
  used.node("Add", {"a", "mean"});
  CHECK(contains(refusals_of(used).at(0).reason, "'mean' is used"));
}

TEST_CASE("LRN: size, alpha, beta and bias as they were written") {
  ModelBuilder defaults;
  defaults.node("LRN", {"x"}).set("size", std::int64_t{3});
  CHECK(last_layer(defaults.import()).parameters == LayerParameters(LocalResponseNorm{.size = 3}));
  ModelBuilder given;
  given.node("LRN", {"x"})
      .set("size", std::int64_t{4})
      .set("alpha", 2e-4F)
      .set("beta", 0.5F)
      .set("bias", 2.0F);
  CHECK(last_layer(given.import()).parameters ==
        LayerParameters(LocalResponseNorm{.size = 4, .alpha = 2e-4, .beta = 0.5, .k = 2}));
  ModelBuilder none;
  none.node("LRN", {"x"});
  CHECK(contains(refusal_of(none), "1 to 2147483647"));
  ModelBuilder flattened;
  flattened.node("Flatten", {"x"}, {"f"});
  flattened.node("LRN", {"f"}).set("size", std::int64_t{3});
  CHECK(contains(refusal_of(flattened), "flattened"));
}

TEST_CASE("Relu and Clip: a maximum from attributes or inputs") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ModelBuilder relu;
  relu.node("Relu", {"x"});
  CHECK(max_of_relu(relu) == infinity);
  ModelBuilder by_attribute({1, 4, 8, 8}, 10);
  by_attribute.node("Clip", {"x"}).set("min", 0.0F).set("max", 6.0F);
  CHECK(max_of_relu(by_attribute) == 6);
  ModelBuilder by_input;
  by_input.reals("low", {}, {0}).reals("high", {}, {0.3F});
  by_input.node("Clip", {"x", "low", "high"});
  CHECK(max_of_relu(by_input) == 0.3);
  ModelBuilder open;
  open.reals("low", {}, {0});
  open.node("Clip", {"x", "low"});
  CHECK(max_of_relu(open) == infinity);
  ModelBuilder below;
  below.reals("low", {}, {-1});
  below.node("Clip", {"x", "low"});
  CHECK(contains(refusal_of(below), "minimum"));
}

TEST_CASE("LeakyRelu: the slope as it was written, unless it is below 0") {
  ModelBuilder defaults;
  defaults.node("LeakyRelu", {"x"});
  CHECK(last_layer(defaults.import()).parameters == LayerParameters(LeakyRelu{.slope = 0.01}));
  ModelBuilder given;
  given.node("LeakyRelu", {"x"}).set("alpha", 0.2F);
  CHECK(last_layer(given.import()).parameters == LayerParameters(LeakyRelu{.slope = 0.2}));
  for (const float slope : {-0.5F, 2e30F}) {
    ModelBuilder refused;
    refused.node("LeakyRelu", {"x"}).set("alpha", slope);
    CHECK(contains(refusal_of(refused), "0 to 1e30"));
  }
}

TEST_CASE("Dropout: the rate from attribute or input; 0 is no layer") {
  ModelBuilder by_attribute({1, 4, 8, 8}, 7);
  by_attribute.node("Dropout", {"x"}).set("ratio", 0.2F);
  CHECK(std::get<Dropout>(last_layer(by_attribute.import()).parameters).rate == 0.2);
  ModelBuilder by_input;
  by_input.reals("rate", {}, {0.7F});
  by_input.node("Dropout", {"x", "rate"});
  CHECK(std::get<Dropout>(last_layer(by_input.import()).parameters).rate == 0.7);
  ModelBuilder none;
  none.reals("rate", {}, {0});
  none.node("Dropout", {"x", "rate"}, {"d"});
  none.node("Relu", {"d"});
  CHECK(none.import().network.layer_count() == 3);
}

TEST_CASE("Add, Sub and Sum: of two activations, and more one after the other") {
  ModelBuilder sum;
  sum.node("Relu", {"x"}, {"a"});
  sum.node("Sum", {"a", "x", "x"});
  CHECK(sum.import().network.layer_count() == 5);
  ModelBuilder difference;
  difference.node("Relu", {"x"}, {"a"});
  difference.node("Sub", {"a", "x"});
  const ImportedModel imported = difference.import();
  CHECK(std::get<Add>(last_layer(imported).parameters).scale == -1);
  CHECK(last_layer(imported).inputs == std::vector<std::string>{"a", "x"});
  ModelBuilder unequal;
  unequal.node("GlobalAveragePool", {"x"}, {"a"});
  unequal.node("Add", {"x", "a"});
  CHECK(contains(refusal_of(unequal), "unequal dims"));
}

TEST_CASE("Concat: along the channels only") {
  ModelBuilder model;
  model.node("Relu", {"x"}, {"a"});
  model.node("Concat", {"a", "x", "a"}).set("axis", std::int64_t{-3});
  const ImportedModel imported = model.import();
  CHECK(imported.network.output_shape(LayerIndex(2), 1) == Shape{{1, 12, 1, 8, 8}});
  ModelBuilder rows;
  rows.node("Concat", {"x", "x"}).set("axis", std::int64_t{2});
  CHECK(contains(refusal_of(rows), "channels"));
  ModelBuilder axis;
  axis.node("Concat", {"x", "x"}).set("axis", std::int64_t{4});
  CHECK(contains(refusal_of(axis), "axis 4 of 4 dims"));
}

}  // namespace
}  // namespace cnnplan::test
