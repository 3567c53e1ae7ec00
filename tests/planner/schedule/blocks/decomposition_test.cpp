// Tests how a plan is divided into units: their order, residuals, and required gradients.
#include "planner/schedule/blocks/decomposition.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// The add sums bn and conv, which both read data. bn and sum are one unit on h2, conv is on n2.
Plan residual_plan() {
  const Network network("residual",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"conv", {"data"}, Convolution{.filters = 2}},
                         {"bn", {"data"}, BatchNorm{}},
                         {"sum", {"conv", "bn"}, Add{}},
                         {"loss", {"sum"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 2, parse_mesh("h2"));
  plan.layers[LayerIndex(1)].mesh = parse_mesh("n2");
  return plan;
}

}  // namespace

TEST_CASE("Decomposition: units run when all their inputs are there") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const Decomposition decomposition(plan);
    LayerIndex previous;
    for (const Unit& unit : decomposition.units()) {
      CHECK(unit.last > previous);
      previous = unit.last;
      for (LayerIndex input : unit.inputs) CHECK(decomposition.unit_of(input).last < unit.last);
      for (LayerIndex layer : layers_of(plan.network, unit)) {
        CHECK(decomposition.unit_of(layer).head == unit.head);
      }
    }
  }
}

TEST_CASE("Decomposition: a residual is needed on the blocks of the unit that adds it") {
  const Plan plan = residual_plan();
  const Decomposition decomposition(plan);
  const Unit& unit = decomposition.unit_of(LayerIndex(3));
  REQUIRE(unit.residual);
  CHECK(same_boxes(decomposition.needed(unit, 0), decomposition.owned(LayerIndex(2))));
  CHECK(same_boxes(decomposition.needed(unit, 1), decomposition.owned(LayerIndex(3))));
  CHECK_FALSE(same_boxes(decomposition.needed(unit, 1), decomposition.owned(unit.inputs[1])));
}

TEST_CASE("Decomposition: gradients are required after the first parameter") {
  const Network network("plain",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"relu", {"data"}, Relu{}},
                         {"conv", {"relu"}, Convolution{.filters = 2}},
                         {"drop", {"conv"}, Dropout{}},
                         {"loss", {"drop"}, SoftmaxCrossEntropy{}}});
  const Plan plan = uniform_plan(network, 2, Mesh());
  const Decomposition decomposition(plan);
  const IndexedVector<LayerIndex, bool> expected{false, false, true, true, true};
  for (const LayerIndex layer : expected.indices()) {
    CHECK(decomposition.requires_gradient(layer) == expected[layer]);
  }
}

TEST_CASE("Decomposition: a gradient is dense if kernels need it, directly or through an add") {
  const Network network("dense",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"conv", {"data"}, Convolution{.filters = 2}},
                         {"relu", {"conv"}, Relu{}},
                         {"sum", {"conv", "relu"}, Add{}},
                         {"drop", {"relu"}, Dropout{}},
                         {"other", {"drop", "relu"}, Add{}},
                         {"twice", {"sum", "other"}, Add{}},
                         {"last", {"twice"}, Relu{}},
                         {"loss", {"last"}, SoftmaxCrossEntropy{}}});
  const Plan plan = uniform_plan(network, 2, Mesh());
  const Decomposition decomposition(plan);
  const std::vector<std::pair<std::string, bool>> expected{
      {"conv", true}, {"relu", false}, {"sum", true}, {"drop", false}, {"other", false}};
  for (const auto& entry : expected) {
    CAPTURE(entry.first);
    CHECK(decomposition.needs_dense_gradient(network.index_of(entry.first).value()) ==
          entry.second);
  }
  CHECK_FALSE(decomposition.needs_dense_gradient(network.index_of("last").value()));
}

TEST_CASE("Decomposition: a scaled input has a dense gradient of its own") {
  const auto sum_needs_dense = [](const std::vector<std::string>& inputs, double scale) {
    const Network network("scaled",
                          {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                           {"conv", {"data"}, Convolution{.filters = 2}},
                           {"relu", {"conv"}, Relu{}},
                           {"sum", inputs, Add{.scale = scale}},
                           {"loss", {"sum"}, SoftmaxCrossEntropy{}}});
    return Decomposition(uniform_plan(network, 2, Mesh())).needs_dense_gradient(LayerIndex(3));
  };
  CHECK(sum_needs_dense({"conv", "relu"}, 0.5));
  CHECK_FALSE(sum_needs_dense({"relu", "conv"}, 0.5));
  CHECK(sum_needs_dense({"relu", "conv"}, 1.0));
}

TEST_CASE("Decomposition: a ladder of adds takes no time that doubles with every rung") {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 2, .size = {1, 2, 2}}},
                            {"drop", {"data"}, Dropout{}}};
  for (int i = 0; i < 64; ++i) {
    const std::string below = layers.back().name;
    layers.push_back({"sum" + std::to_string(i), {below, below}, Add{}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 2}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  const Plan plan = uniform_plan(Network("ladder", layers), 2, Mesh());
  CHECK_FALSE(Decomposition(plan).needs_dense_gradient(LayerIndex(65)));
}

}  // namespace cnnplan::test
