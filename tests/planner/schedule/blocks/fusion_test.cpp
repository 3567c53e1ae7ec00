// Tests which layers become one unit.
#include "planner/schedule/blocks/fusion.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Lists the layers of every unit, as in "bn+sum+relu". A unit that adds another tensor has
// "(residual)" after it.
std::string units_text(const Plan& plan) {
  std::string text;
  for (const Unit& unit : fuse(plan)) {
    if (!text.empty()) text += ' ';
    for (LayerIndex layer : layers_of(plan.network, unit)) {
      text += (layer == unit.head ? "" : "+") + plan.network.layer(layer).name;
    }
    if (unit.residual) text += "(" + plan.network.layer(unit.inputs.at(1)).name + ")";
    const LayerParameters& last = plan.network.layer(unit.last).parameters;
    CHECK(unit.relu == (unit.head != unit.last && std::holds_alternative<Relu>(last)));
  }
  return text;
}

// Returns a plan of the layers between an input of 4 channels and a loss.
Plan plan_of(std::vector<Layer> middle) {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 4, .size = {1, 6, 6}}}};
  for (Layer& layer : middle) layers.push_back(std::move(layer));
  layers.push_back({"loss", {layers.back().name}, SoftmaxCrossEntropy{}});
  return uniform_plan(Network("fusion", std::move(layers)), 4, parse_mesh("n2"));
}

const Convolution keeps_channels{.filters = 4};

}  // namespace

TEST_CASE("Fusion: convolution, batch norm and add take the layers after them") {
  struct Row {
    std::vector<Layer> layers;
    const char* units;
  };
  const std::vector<Row> rows{
      {{{"bn", {"data"}, BatchNorm{}}, {"relu", {"bn"}, Relu{}}}, "data bn+relu loss"},
      {{{"conv", {"data"}, keeps_channels}, {"relu", {"conv"}, Relu{}}}, "data conv+relu loss"},
      {{{"fc", {"data"}, FullyConnected{.outputs = 4}}, {"relu", {"fc"}, Relu{}}},
       "data fc+relu loss"},
      {{{"up", {"data"}, TransposedConvolution{.filters = 4}}, {"relu", {"up"}, Relu{}}},
       "data up relu loss"},
      {{{"up", {"data"}, TransposedConvolution{.filters = 4}},
        {"bn", {"up"}, BatchNorm{}},
        {"relu", {"bn"}, Relu{}}},
       "data up bn+relu loss"},
      {{{"pool", {"data"}, Pooling{}}, {"relu", {"pool"}, Relu{}}}, "data pool relu loss"},
      {{{"conv", {"data"}, keeps_channels}, {"drop", {"conv"}, Dropout{}}}, "data conv drop loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"relu", {"bn"}, Relu{.max = 6}}}, "data bn relu loss"},
      {{{"conv", {"data"}, keeps_channels}, {"relu", {"conv"}, Relu{.max = 6}}},
       "data conv relu loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"drop", {"bn"}, Dropout{}}}, "data bn drop loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"bn2", {"bn"}, BatchNorm{}}}, "data bn bn2 loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"sum", {"bn", "data"}, Add{}}, {"relu", {"sum"}, Relu{}}},
       "data bn+sum+relu(data) loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"sum", {"data", "bn"}, Add{}}}, "data bn+sum(data) loss"},
      {{{"conv", {"data"}, keeps_channels},
        {"sum", {"conv", "data"}, Add{}},
        {"relu", {"sum"}, Relu{}}},
       "data conv sum+relu loss"},
      {{{"bn", {"data"}, BatchNorm{}}, {"sum", {"bn", "bn"}, Add{}}}, "data bn sum loss"},
      {{{"bn", {"data"}, BatchNorm{}},
        {"sum", {"data", "bn"}, Add{.scale = 0.5}},
        {"relu", {"sum"}, Relu{}}},
       "data bn sum+relu loss"},
  };
  for (const Row& row : rows) CHECK(units_text(plan_of(row.layers)) == row.units);
}

TEST_CASE("Fusion: a convolution whose space is split leaves the ReLU its room for halos") {
  const auto units_on = [](const char* mesh) {
    Plan plan = plan_of({{"conv", {"data"}, keeps_channels}, {"relu", {"conv"}, Relu{}}});
    for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh(mesh);
    return units_text(plan);
  };
  for (const char* mesh : {"n2", "r2"}) CHECK(units_on(mesh) == "data conv+relu loss");
  for (const char* mesh : {"h2", "w2", "n2h2"}) CHECK(units_on(mesh) == "data conv relu loss");
}

TEST_CASE("Fusion: an add joins the later of two batch norms, when its other input is complete") {
  const Plan plan = plan_of({{"bn1", {"data"}, BatchNorm{}},
                             {"bn2", {"data"}, BatchNorm{}},
                             {"sum", {"bn2", "bn1"}, Add{}}});
  CHECK(units_text(plan) == "data bn1 bn2+sum(bn1) loss");
}

TEST_CASE("Fusion: a batch norm listed before the other input leaves the add alone") {
  const Plan plan = plan_of({{"bn", {"data"}, BatchNorm{}},
                             {"conv", {"data"}, keeps_channels},
                             {"sum", {"bn", "conv"}, Add{}},
                             {"relu", {"sum"}, Relu{}}});
  CHECK(units_text(plan) == "data bn conv sum+relu loss");
}

TEST_CASE("Fusion: a tensor with two readers is kept") {
  const Plan plan = plan_of(
      {{"bn", {"data"}, BatchNorm{}}, {"relu", {"bn"}, Relu{}}, {"sum", {"relu", "bn"}, Add{}}});
  CHECK(units_text(plan) == "data bn relu sum loss");
}

TEST_CASE("Fusion: layers on different meshes are not fused") {
  const std::vector<Layer> layers{
      {"bn", {"data"}, BatchNorm{}}, {"sum", {"bn", "data"}, Add{}}, {"relu", {"sum"}, Relu{}}};
  const auto units_with = [&](LayerIndex layer) {
    Plan plan = plan_of(layers);
    plan.layers[layer].mesh = parse_mesh("h2");
    return units_text(plan);
  };
  CHECK(units_with(LayerIndex(1)) == "data bn sum+relu loss");
  CHECK(units_with(LayerIndex(2)) == "data bn sum relu loss");
  CHECK(units_with(LayerIndex(3)) == "data bn+sum(data) relu loss");
}

}  // namespace cnnplan
