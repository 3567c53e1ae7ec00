// Tests which layers of a network form a residual chain, and which parts of a chain can be run
// alone.
#include "planner/network/residual_chain.hpp"

#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

// Returns the layers of blocks a, b and c after an input of equally many channels.
std::vector<Layer> chain_of_three() {
  return {{"data", {}, Input{.channels = 2, .size = {1, 3, 3}}},
          {"a", {"data"}, Convolution{.filters = 2}},
          {"a_relu", {"a"}, Relu{}},
          {"a_add", {"data", "a_relu"}, Add{.scale = 0.5}},
          {"b", {"a_add"}, Convolution{.filters = 2, .bias = true}},
          {"b_add", {"a_add", "b"}, Add{.scale = 0.25}},
          {"c", {"b_add"}, Convolution{.filters = 2}},
          {"c_relu", {"c"}, Relu{}},
          {"c_add", {"b_add", "c_relu"}, Add{}},
          {"fc", {"c_add"}, FullyConnected{.outputs = 3}},
          {"loss", {"fc"}, SoftmaxCrossEntropy{}}};
}

std::vector<ResidualChain> chains_with(const std::string& name, const Layer& other) {
  std::vector<Layer> layers = chain_of_three();
  for (Layer& layer : layers) {
    if (layer.name == name) layer = other;
  }
  return residual_chains(Network("chain", layers));
}

std::vector<std::size_t> lengths(const std::vector<ResidualChain>& chains) {
  std::vector<std::size_t> lengths;
  for (const ResidualChain& chain : chains) lengths.push_back(chain.size());
  return lengths;
}

// Returns a block by the numbers of its layers.
ResidualBlock block_of(const std::array<int, 3>& layers, double step) {
  return {.weights = LayerIndex(layers[0]),
          .transform = LayerIndex(layers[1]),
          .sum = LayerIndex(layers[2]),
          .step = step};
}

ResidualChain part_of(const Network& network, int first, int last) {
  return part_of_chain(network, LayerIndex(first), LayerIndex(last));
}

}  // namespace

TEST_CASE("residual_chains: blocks with their layers and steps") {
  const std::vector<ResidualChain> chains = residual_chains(Network("chain", chain_of_three()));
  const ResidualChain expected{
      block_of({1, 2, 3}, 0.5), block_of({4, 4, 5}, 0.25), block_of({6, 7, 8}, 1.0)};
  REQUIRE(chains.size() == 1);
  CHECK(chains[0] == expected);
}

TEST_CASE("residual_chains: a layer that is no block ends a chain") {
  using Lengths = std::vector<std::size_t>;
  CHECK(lengths(chains_with("b_add", {"b_add", {"b", "a_add"}, Add{}})) == Lengths{1, 1});
  CHECK(lengths(chains_with("a_relu", {"a_relu", {"a"}, Relu{.max = 6.0}})) == Lengths{2});
  CHECK(lengths(chains_with("a_relu", {"a_relu", {"a"}, BatchNorm{}})) == Lengths{2});
  CHECK(lengths(chains_with("b", {"b", {"a_add"}, TransposedConvolution{.filters = 2}})) ==
        Lengths{1, 1});
  CHECK(lengths(chains_with("fc", {"fc", {"c_add"}, Relu{}})) == Lengths{2});
}

TEST_CASE("residual_chains: other readers of a state must come after the chain") {
  std::vector<Layer> layers = chain_of_three();
  layers.insert(layers.end() - 2, {"again", {"c_add", "b_add"}, Concat{}});
  layers[layers.size() - 2].inputs = {"again"};
  CHECK(lengths(residual_chains(Network("chain", layers))) == std::vector<std::size_t>{2, 1});
}

TEST_CASE("residual_chains: the networks of the project are one chain each") {
  for (const int blocks : {16, 64, 256}) {
    const Network network =
        read_network("configs/networks/residual-" + std::to_string(blocks) + ".json");
    CHECK(lengths(residual_chains(network)) ==
          std::vector<std::size_t>{static_cast<std::size_t>(blocks)});
  }
  CHECK(residual_chains(read_network("configs/networks/resnet50.json")).empty());
}

TEST_CASE("part_of_chain: from the beginning of a block to the end of one, with nothing between") {
  const Network network("chain", chain_of_three());
  CHECK(part_of(network, 1, 8).size() == 3);
  CHECK(part_of(network, 4, 8).size() == 2);
  CHECK(part_of(network, 4, 5).size() == 1);
  CHECK(part_of(network, 2, 8).empty());
  CHECK(part_of(network, 4, 3).empty());
  CHECK(part_of(network, 1, 9).empty());
  std::vector<Layer> layers = chain_of_three();
  layers.insert(layers.begin() + 4, {"aside", {"data"}, Convolution{.filters = 2}});
  layers.insert(layers.end() - 2, {"joined", {"c_add", "aside"}, Add{}});
  layers[layers.size() - 2].inputs = {"joined"};
  const Network interrupted("chain", layers);
  CHECK(part_of(interrupted, 1, 9).empty());
  CHECK(part_of(interrupted, 5, 9).size() == 2);
}

}  // namespace cnnplan::test
