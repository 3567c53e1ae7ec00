// Tests the table of step times over numbers of ranks.
#include "planner/report/scaling_text.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan::test {

TEST_CASE("scaling: efficiency is relative to the first count that fits") {
  const std::vector<ScalingPoint> points{{.ranks = 1, .step_s = {}, .plan = "does not fit"},
                                         {.ranks = 2, .step_s = 8.0, .plan = "n2"},
                                         {.ranks = 8, .step_s = 4.0, .plan = "n8"}};
  CHECK(efficiency(points[1], points) == 1.0);
  CHECK(efficiency(points[2], points) == 0.5);
}

TEST_CASE("scaling: images per second count the mini-batch of all ranks") {
  Plan plan = small_plan();
  plan.batch = 4;
  plan.prediction.step_s = 0.5;
  const ScalingPoint point = scaling_point(plan);
  CHECK(point.ranks == plan.ranks);
  CHECK(point.step_s == 0.5);
  CHECK(point.images_per_s == 8.0);
}

TEST_CASE("scaling: words name the meshes of most layers first, and count what does not fit") {
  Plan plan = small_plan();
  REQUIRE(plan.layers.size() == 6);
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  CHECK(plan_words(plan) == "n2 (6)");
  plan.layers.at(LayerIndex(0)).mesh = parse_mesh("h2");
  CHECK(plan_words(plan) == "n2 (5), h2 (1)");
  for (int i = 0; i < 6; ++i) {
    plan.layers.at(LayerIndex(i)).mesh = parse_mesh("n128h" + std::to_string(2 + i));
  }
  CHECK(plan_words(plan) == "n128h2 (1), n128h3 (1), 4 more");
}

TEST_CASE("scaling: the table has a row for each count and fits 80 columns") {
  const std::string text = to_text({{.ranks = 1, .step_s = {}, .plan = "does not fit"},
                                    {.ranks = 1048576,
                                     .step_s = 12.3456789,
                                     .images_per_s = 123456.0,
                                     .plan = "n128h2 (1), n128h3 (1), 1234 more"}});
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  REQUIRE(all.size() == 4);
  CHECK(all[2].find("does not fit") != std::string::npos);
  for (const std::string& line : all) CHECK(line.size() <= 80);
}

}  // namespace cnnplan::test
