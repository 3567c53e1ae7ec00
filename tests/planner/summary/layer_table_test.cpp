// Tests rows, hidden columns and the width of the table of layers.
#include "planner/summary/layer_table.hpp"

#include <sstream>

#include <doctest/doctest.h>

#include "planner/report/explain.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {

TEST_CASE("layer table: large layers and layers with other splits have rows") {
  const std::string text = layer_table(small_plan());
  CHECK(text.substr(text.find("\nlayer") + 1) ==
        R"(layer   split    fwd    bwd  msgs  other  total   step %
--------------------------------------------------------
data    h2         -      -     -   1.00   1.00      1.0
conv1   h2     10.00  50.50  2.00      -  62.50     62.5
bn1     h2      4.00      -  0.50   3.00   7.50*     7.5
pool    h2         -      -     -      -      -        -
fc      r2      5.00      -  1.50      -   6.50      6.5
loss    h2         -      -     -      -      -        -
reduce             -      -     -   6.00   6.00      6.0
sgd                -      -     -   7.00   7.00      7.0

* estimated, not measured (1 kernel)
)");
}

TEST_CASE("layer table: small layers with equal splits share a row with their sum") {
  Plan plan = small_plan();
  plan.prediction.step_s = 10.0;
  const std::string text = layer_table(plan);
  CHECK(text.find("\ndata      +3  h2     14.00  50.50  2.50   4.00  71.00*     0.7\n") !=
        std::string::npos);
  CHECK(text.find("+N: with the next N layers") != std::string::npos);
  CHECK(layer_table(small_plan()).find("+N") == std::string::npos);
}

TEST_CASE("layer table: layers with 2 % of the step do not share a row") {
  Plan plan = small_plan();
  plan.prediction.step_s = 0.999 * 0.0625 / own_row_share;
  CHECK(layer_table(plan).find("\nconv1         h2") != std::string::npos);
  plan.prediction.step_s *= 1.01;
  CHECK(layer_table(plan).find("\nconv1") == std::string::npos);
}

TEST_CASE("layer table: times of short steps are in microseconds") {
  Plan plan = small_plan();
  plan.prediction.step_s = 0.001;
  const std::string text = layer_table(plan);
  CHECK(text.starts_with("Times in us"));
  CHECK(text.find("10000.0  50500.0") != std::string::npos);
}

TEST_CASE("layer table: with overlap, hidden time is no share of the step") {
  Plan plan = small_plan();
  plan.overlap = true;
  for (PredictedOperation& operation : plan.prediction.operations) {
    if (operation.place.part == OperationPart::gradient_reduction) operation.critical_s = 0.002;
  }
  const std::string text = layer_table(plan);
  CHECK(text.find("6.00   6.00      2.0\n") != std::string::npos);
  CHECK(text.find("step %: what the step") != std::string::npos);
  CHECK(layer_table(small_plan()).find("step %: what") == std::string::npos);
}

TEST_CASE("layer table: one row") {
  const std::string text = layer_row(small_plan(), "fc");
  CHECK(text.find("fc     r2     5.00  1.50   6.50      6.5\n") != std::string::npos);
  CHECK(text.find("conv1") == std::string::npos);
  CHECK(test::problem_of([] { layer_row(small_plan(), "conv9"); }).value == "\"conv9\"");
}

TEST_CASE("layer table: it shows which layers gather their input node by node") {
  Plan plan = small_plan();
  plan.layers[layer_named(plan, "fc")].gather = GatherMethod::by_node_c;
  const std::string text = layer_table(plan);
  CHECK(text.find("\nfc      r2 by node") != std::string::npos);
  CHECK(text.find("by node: gathers its input node by node") != std::string::npos);
  CHECK(layer_table(small_plan()).find("by node") == std::string::npos);
}

TEST_CASE("layer table: columns without values are left out, and long names are cut") {
  Plan plan = small_plan();
  plan.prediction.operations.clear();
  CHECK(layer_table(plan).find("msgs") == std::string::npos);
  std::istringstream lines(layer_table(small_plan()));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

}  // namespace cnnplan
