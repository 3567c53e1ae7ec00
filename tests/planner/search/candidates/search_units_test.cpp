// Checks which layers choose their own split and which layers follow another layer's choice.
#include "planner/search/candidates/search_units.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Returns the members of every unit, joined by blanks, by the name of the unit's head.
std::map<std::string, std::string> units_by_head(const Network& network) {
  std::map<std::string, std::string> units;
  for (const SearchUnit& unit : search_units(network)) {
    std::string members;
    for (LayerIndex layer : unit.layers) {
      members += (members.empty() ? "" : " ") + network.layer(layer).name;
    }
    units[network.layer(unit.head()).name] = members;
  }
  return units;
}

Network resnet50() {
  return read_network("configs/networks/resnet50.json");
}

}  // namespace

TEST_CASE("search_units: what has no reason to be split otherwise stays with its input") {
  const auto units = units_by_head(resnet50());
  CHECK(units.at("data") == "data");
  CHECK(units.at("conv1") == "conv1 bn_conv1 conv1_relu");
  CHECK(units.at("pool1") == "pool1");
  CHECK(units.at("res2a_branch1") == "res2a_branch1 bn2a_branch1");
  CHECK(units.at("res2a_branch2c") == "res2a_branch2c bn2a_branch2c res2a res2a_relu");
  CHECK(units.at("res5c_branch2b") == "res5c_branch2b bn5c_branch2b res5c_branch2b_relu");
  CHECK(units.at("pool5") == "pool5");
  CHECK(units.at("fc1000") == "fc1000");
  CHECK(units.at("loss") == "loss");
  constexpr std::size_t convolutions = 53;
  CHECK(units.size() == convolutions + 5);
}

TEST_CASE("search_units: a concat stays with the input that is listed last") {
  const auto units = units_by_head(read_network("configs/networks/densenet121.json"));
  CHECK(units.at("pool0") == "pool0 dense1_1_bn1 dense1_1_relu1");
  CHECK(units.at("dense1_1_conv2") == "dense1_1_conv2 dense1_1 dense1_2_bn1 dense1_2_relu1");
  CHECK(units.at("dense4_16_conv2") == "dense4_16_conv2 dense4_16 bn5 relu5");
}

TEST_CASE("search_units: an upsampling chooses, as it may need what other ranks own") {
  const Network network("up",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"conv", {"data"}, Convolution{.filters = 2}},
                         {"relu", {"conv"}, Relu{}},
                         {"up", {"relu"}, Upsample{}},
                         {"drop", {"up"}, Dropout{}},
                         {"loss", {"drop"}, SoftmaxCrossEntropy{}}});
  const auto units = units_by_head(network);
  CHECK(units.at("conv") == "conv relu");
  CHECK(units.at("up") == "up drop");
}

TEST_CASE("search_units: a channel shuffle chooses, a slice stays with its input") {
  const auto units = units_by_head(read_network("configs/networks/shufflenet_v2.json"));
  CHECK(units.at("stage2a") == "stage2a stage2b_a stage2b_b");
  CHECK(units.at("stage2b_b3") == "stage2b_b3 stage2b_b3_bn stage2b_b3_relu stage2b_joined");
}

// It needs all channels, which its input's convolution need not have.
TEST_CASE("search_units: a local response norm chooses") {
  const Network network("response",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"conv", {"data"}, Convolution{.filters = 2}},
                         {"relu", {"conv"}, Relu{}},
                         {"response", {"relu"}, LocalResponseNorm{}},
                         {"loss", {"response"}, SoftmaxCrossEntropy{}}});
  CHECK(units_by_head(network).at("conv") == "conv relu");
  CHECK(units_by_head(network).at("response") == "response");
}

TEST_CASE("search_units: every layer belongs to one unit, units in order of their heads") {
  for (const char* name : {"alexnet",
                           "densenet121",
                           "inception_v3",
                           "lenet",
                           "mesh-1k",
                           "resnet50",
                           "unet-3d",
                           "vgg16"}) {
    const Network network = read_network("configs/networks/" + std::string(name) + ".json");
    IndexedVector<LayerIndex, int> count(network.layers().size(), 0);
    LayerIndex previous;
    for (const SearchUnit& unit : search_units(network)) {
      CHECK(unit.head() > previous);
      previous = unit.head();
      for (LayerIndex layer : unit.layers) ++count[layer];
    }
    CHECK(count.elements() == std::vector(network.layers().size(), 1));
  }
}

}  // namespace cnnplan
