// Tests the report about how far figures may change before another plan is faster.
#include "planner/report/sensitivity_text.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

// Joins the lines of a text, which may break where `part` has a space.
bool contains_words(std::string text, const std::string& part) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.find(part) != std::string::npos;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Plan plan_with_margins() {
  Plan plan = small_plan();
  plan.prediction.margins = {{.layers = {"conv1", "bn1"}, .runner_up = "n2", .margin_s = 1e-3}};
  return plan;
}

Sensitivity two_runner_ups() {
  const MachineFigure node_beta{
      .owner = FigureOwner::level, .level = "node", .name = "beta_s_per_byte"};
  const MachineFigure convolutions{.owner = FigureOwner::kernels, .name = "convolution"};
  const PriceFigure beta{.figure = node_beta, .unit = "s/B", .least = 1e-10, .most = 2e-10};
  const PriceFigure kernels{.figure = convolutions, .unit = "s", .least = 0.04, .most = 0.04};
  return {.sum_s = 0.1,
          .most_factor = 16.0,
          .figures = {node_beta, convolutions},
          .runner_ups = {{.layers = {"conv1", "fc"},
                          .split = "h2",
                          .runner_up = "n2",
                          .changes = 3,
                          .margin_s = 0.0005},
                         {.layers = {"data"}, .split = "h2", .runner_up = "w2", .margin_s = 0.002}},
          .flips = {{.runner_up = 0, .figure = beta, .factor = 1.25},
                    {.runner_up = 0, .figure = kernels, .factor = 0.5}},
          .shorter = {"loss"}};
}

}  // namespace

TEST_CASE("sensitivity: the whole text") {
  CHECK(to_text(two_runner_ups(), plan_with_margins(), false) ==
        R"(The plan hangs on node.beta_s_per_byte most: with 1.250 times as much, conv1 on
n2 (and 2 other layers split otherwise with it) is as fast.

Factor: how much of one figure, from 1/16 to 16, makes the best plan with this
runner-up as fast as the plan. The plan takes 100.000 ms now, all operations in
sum. Nothing else changes, so a third plan may win earlier. Margin: what the
runner-up takes more now, as a share of the sum. Splits may end with the x or w
of an algorithm stationary_x or _w; --wide shows values of figures.
layer  more  split  runner-up  margin %  figure                factor
---------------------------------------------------------------------
conv1    +1  h2     n2             0.50  node.beta_s_per_byte   1.250
conv1    +1  h2     n2             0.50  kernel.convolution     0.500

no figure flips: data (w2)
left out: 1 layer whose runner-up takes less in sum already, as the plan was
taken for its step or its memory, or differs from it in too many layers (loss)
)");
}

TEST_CASE("sensitivity: the narrow table has at most twelve rows, and fits") {
  Sensitivity sensitivity = two_runner_ups();
  sensitivity.runner_ups[0].layers[0] = std::string(100, 'a');
  sensitivity.runner_ups[0].runner_up = "c2 stationary_x";
  sensitivity.flips.resize(20, sensitivity.flips[0]);
  const std::string text = to_text(sensitivity, plan_with_margins(), false);
  CHECK(contains(
      text,
      "\naaaaaaaaaaaaaa..    +1  h2     c2 x           0.50  node.beta_s_per_byte   1.250\n"));
  CHECK(contains(text, "\nand 8 rows more: --wide shows all\n"));
  CHECK_FALSE(contains(to_text(sensitivity, plan_with_margins(), true), "rows more"));
}

TEST_CASE("sensitivity: a wide table has values of figures") {
  const std::string text = to_text(two_runner_ups(), plan_with_margins(), true);
  CHECK(text.starts_with("The plan hangs on node.beta_s_per_byte most"));
  CHECK(contains(text, R"(
layer             split  runner-up      margin  of the sum [%]  figure                                       now                 at the flip  factor
----------------------------------------------------------------------------------------------------------------------------------------------------
conv1 and 1 more  h2     n2         500.000 us            0.50  node.beta_s_per_byte  0.1000 ns/B to 0.2000 ns/B  0.1250 ns/B to 0.2500 ns/B   1.250
conv1 and 1 more  h2     n2         500.000 us            0.50  kernel.convolution                     40.000 ms                   20.000 ms   0.500
)"));
}

TEST_CASE("sensitivity: no table where no figure flips anything") {
  Sensitivity sensitivity = two_runner_ups();
  sensitivity.flips.clear();
  const std::string text = to_text(sensitivity, plan_with_margins(), false);
  CHECK(contains(text, "no figure flips: conv1 and 1 more (n2), data (w2)\n"));
  CHECK(text.starts_with("None of "));
  CHECK(
      contains_words(text,
                     "None of node.beta_s_per_byte, kernel.convolution makes a runner-up as fast, "
                     "from 1/16 to 16 times as large."));
  CHECK_FALSE(contains(text, "factor\n"));
}

TEST_CASE("sensitivity: says that kernels keep their times where no profile has them") {
  const std::string stay = "\nTimes of kernels stay: no profile has them.\n";
  CHECK_FALSE(contains(to_text(two_runner_ups(), plan_with_margins(), false), stay));
  Sensitivity sensitivity = two_runner_ups();
  // A level may have the name "kernels", which does not make its figures times of kernels.
  sensitivity.figures.back() = {.owner = FigureOwner::level, .level = "kernels", .name = "gap_s"};
  CHECK(contains(to_text(sensitivity, plan_with_margins(), false), stay));
}

TEST_CASE("sensitivity: why there is nothing to compare") {
  const auto text_for = [](NoRunnerUp reason) {
    Sensitivity sensitivity;
    sensitivity.no_runner_up = reason;
    return to_text(sensitivity, plan_with_margins(), false);
  };
  CHECK(contains_words(text_for(NoRunnerUp::no_search), "--uniform gave the mesh"));
  CHECK(contains_words(text_for(NoRunnerUp::split_by_layers), "it splits chains by layers"));
  CHECK(contains_words(text_for(NoRunnerUp::entangled), "are too entangled for exact sums"));
  CHECK(contains_words(text_for(NoRunnerUp::other_choices), "the search took it as a whole"));
  CHECK(contains_words(text_for(NoRunnerUp::many_changes), "in too many layers"));
  CHECK(contains_words(text_for(NoRunnerUp::older_plan), "an older cnnplan wrote it"));
  CHECK(contains_words(text_for(NoRunnerUp::shorter), "taken for its step or its memory"));
  CHECK(to_text(Sensitivity{}, plan_with_margins(), false) == "no other split is worth finding\n");
}

}  // namespace cnnplan
