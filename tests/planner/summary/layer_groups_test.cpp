// Tests the words for splits, and groups of layers.
#include "planner/summary/layer_groups.hpp"

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {

TEST_CASE("layer groups: words for splits") {
  const auto words = [](const char* mesh) {
    return split_words({.mesh = parse_mesh(mesh), .algorithms = {}}, 8);
  };
  CHECK(words("n8") == "samples over 8 ranks");
  CHECK(words("n2c4") == "samples over 2, channels over 4");
  CHECK(words("n4r2") == "samples over 4, 2 copies");
  CHECK(words("r8") == "alike on all 8 ranks");
  CHECK(words("1") == "on one rank");
}

TEST_CASE("layer groups: short words for splits over several axes") {
  const auto words = [](const char* mesh) {
    return short_split_words({.mesh = parse_mesh(mesh), .algorithms = {}}, 8);
  };
  CHECK(words("n2c4") == "samples 2 x channels 4");
  CHECK(words("n4r2") == "samples 4 x 2 copies");
  CHECK(words("n8") == "samples over 8 ranks");
  CHECK(words("r8") == "alike on all 8 ranks");
}

TEST_CASE("layer groups: neighbours with equal splits") {
  const Plan plan = small_plan();
  const std::vector<LayerGroup> groups = layer_groups(plan);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].first == LayerIndex(0));
  CHECK(groups[0].last == LayerIndex(3));
  CHECK(groups[1].words == "alike on all 2 ranks");
  CHECK(split_counts(plan).front() == SplitCount{.words = "height over 2 ranks",
                                                 .short_words = "height over 2 ranks",
                                                 .layers = 5});
}

TEST_CASE("layer groups: data parallelism splits samples only") {
  Plan plan = small_plan();
  CHECK_FALSE(is_data_parallel(plan));
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("r2");
  CHECK_FALSE(is_data_parallel(plan));
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  CHECK(is_data_parallel(plan));
}

}  // namespace cnnplan
