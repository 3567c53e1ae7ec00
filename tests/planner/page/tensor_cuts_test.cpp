// Tests the blocks and halos of a small network that a person can work out.
#include "planner/page/tensor_cuts.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

// Returns a plan of two convolutions with windows of 3x3 on an image of 8x8.
Plan two_convolutions(const char* mesh) {
  Convolution convolution;
  convolution.filters = 4;
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Network network("two",
                        {{"data", {}, Input{.channels = 3, .size = {1, 8, 8}}},
                         {"conv1", {"data"}, convolution},
                         {"conv2", {"conv1"}, convolution},
                         {"conv3", {"conv2"}, convolution},
                         {"pool", {"conv3"}, GlobalPooling{}},
                         {"loss", {"pool"}, SoftmaxCrossEntropy{}}});
  return uniform_plan(network, 4, parse_mesh(mesh));
}

constexpr std::size_t height = 3;

}  // namespace

TEST_CASE("tensor_cuts: ranks own half of the rows, and need a row of the neighbour") {
  const TensorCuts cuts = tensor_cuts(two_convolutions("h2"));
  const LayerCut& cut = cuts.cuts.at(cuts.of_layer[LayerIndex(2)]);
  CHECK(cut.owned[height] == std::vector<Range>{{0, 4}, {4, 8}});
  REQUIRE(cut.inputs.size() == 1);
  CHECK(cut.inputs[0].owned[height] == std::vector<Range>{{0, 4}, {4, 8}});
  CHECK(cut.inputs[0].needed[height] == std::vector<Range>{{0, 5}, {3, 8}});
}

TEST_CASE("tensor_cuts: layers with equal blocks share a cut") {
  const TensorCuts cuts = tensor_cuts(two_convolutions("h2"));
  CHECK(cuts.of_layer[LayerIndex(2)] == cuts.of_layer[LayerIndex(3)]);
  CHECK(cuts.of_layer[LayerIndex(1)] != cuts.of_layer[LayerIndex(2)]);
}

}  // namespace cnnplan::test
