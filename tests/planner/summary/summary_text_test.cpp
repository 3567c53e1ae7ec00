// Tests the lines of the summary.
#include "planner/summary/summary_text.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {

TEST_CASE("summary: a plan without rivals, as older versions wrote it") {
  CHECK(to_text(summary_of(small_plan())) ==
        R"(small on 2 ranks, batch 4, fp32, at least 4.00 MiB of 1.00 GiB per rank
plan    data to pool: height over 2 ranks; fc: alike on all 2 ranks; loss:
        height over 2 ranks
step    100 ms, 40.0 images/s
)");
}

TEST_CASE("summary: data parallelism that is the best plan is called so") {
  Plan plan = small_plan();
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  plan.prediction.rivals = {{.plan = "n2", .ranks = 2, .step_s = 0.1, .parts = {}}};
  CHECK(to_text(summary_of(plan)).find("plain data parallelism is best") != std::string::npos);
  plan.layers[LayerIndex(1)].mesh = parse_mesh("h2");
  plan.prediction.rivals.front().step_s = 0.25;
  CHECK(to_text(summary_of(plan)).find("; 2.50 x as fast as data parallelism") !=
        std::string::npos);
}

TEST_CASE("summary: at most eight lines, however many splits there are") {
  Summary summary = summary_of(small_plan());
  for (int i = 0; i < 100; ++i) {
    summary.groups.push_back({.words = "samples over " + std::to_string(i) + " ranks"});
    summary.group_names.push_back("layer" + std::to_string(i));
    summary.counts.push_back({.words = summary.groups.back().words, .layers = 1});
  }
  const std::string text = to_text(summary);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 8);
  CHECK(text.find("in other ways") != std::string::npos);
}

}  // namespace cnnplan
