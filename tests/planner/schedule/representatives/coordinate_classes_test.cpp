// Tests which coordinates along an axis of a mesh do the same work.
#include "planner/schedule/representatives/coordinate_classes.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

// Returns the classes of all layers along the only axis of the mesh.
std::vector<int> classes_of(const LayerParameters& parameters,
                            std::int64_t height,
                            const std::string& mesh) {
  const Network network("one",
                        {{"data", {}, Input{.channels = 8, .size = {1, height, 8}}},
                         {"layer", {"data"}, parameters},
                         {"loss", {"layer"}, SoftmaxCrossEntropy{}}});
  const Plan plan = uniform_plan(network, 8, parse_mesh(mesh));
  std::vector<LayerIndex> layers;
  for (const LayerIndex layer : network.layers().indices()) layers.push_back(layer);
  return coordinate_classes(plan, layers, plan.layers.front().mesh.axes().front());
}

}  // namespace

TEST_CASE("coordinate_classes: the ends of a split with halos differ from the middle") {
  const WindowDim three{.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const Convolution convolution{.filters = 8, .window = {{WindowDim{}, three, three}}};
  CHECK(classes_of(convolution, 32, "h4") == std::vector{0, 1, 1, 2});
  CHECK(classes_of(Relu{}, 32, "h4") == std::vector{0, 0, 0, 0});
}

TEST_CASE("coordinate_classes: blocks of different sizes differ") {
  CHECK(classes_of(Relu{}, 30, "h4") == std::vector{0, 0, 1, 1});
  CHECK(classes_of(Relu{}, 30, "n4") == std::vector{0, 0, 0, 0});
}

TEST_CASE("coordinate_classes: coordinates that give or take other channels differ") {
  CHECK(classes_of(Slice{.first_channel = 0, .channels = 4}, 8, "c4")[0] !=
        classes_of(Slice{.first_channel = 0, .channels = 4}, 8, "c4")[3]);
  CHECK(classes_of(Relu{}, 8, "c4") == std::vector{0, 0, 0, 0});
}

TEST_CASE("blocks_meeting: how many blocks share an index with a range") {
  CHECK(blocks_meeting(10, 4, {0, 10}) == 4);
  CHECK(blocks_meeting(10, 4, {2, 4}) == 2);
  CHECK(blocks_meeting(10, 4, {3, 6}) == 1);
  CHECK(blocks_meeting(10, 4, {3, 3}) == 0);
}

TEST_CASE("shared_size: the size of the intersection") {
  CHECK(shared_size({0, 5}, {3, 9}) == 2);
  CHECK(shared_size({0, 3}, {3, 9}) == 0);
}

}  // namespace cnnplan::test
