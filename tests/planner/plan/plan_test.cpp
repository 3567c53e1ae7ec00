// Tests uniform plans, and the checks that every plan must pass.
#include "planner/plan/plan.hpp"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("uniform_plan: every layer on one mesh, with defaults") {
  const Mesh mesh({{Axis::n, 2}, {Axis::w, 3}});
  const Plan plan = uniform_plan(sample_network(), 12, mesh);
  CHECK(plan.network == sample_network());
  CHECK(plan.ranks == 6);
  CHECK(plan.batch == 12);
  REQUIRE(plan.layers.size() == sample_network().layers().size());
  for (const LayerPlan& layer : plan.layers) CHECK(layer == LayerPlan{.mesh = mesh});
  CHECK_NOTHROW(validate(plan, "p.json"));
}

TEST_CASE("parse_split: reads what to_text wrote, and refuses other texts") {
  for (const std::string text : {"1", "n2c4", "n2c4 stationary_x"}) {
    CHECK(to_text(parse_split(text)) == text);
  }
  for (const std::string text : {"c4 ", "c4 fast", "c4  stationary_x"}) {
    const InputProblem problem = problem_of([&] { parse_split(text); });
    CHECK(problem.value == '"' + text + '"');
    CHECK(contains(problem.allowed, "algorithm"));
  }
  CHECK(!problem_of([] { parse_split("n0 stationary_x"); }).allowed.empty());
}

TEST_CASE("validate: a channel shuffle has all channels, a slice any") {
  const Network network("channels",
                        {{"data", {}, Input{.channels = 8, .size = {1, 4, 4}}},
                         {"part", {"data"}, Slice{.channels = 4}},
                         {"shuffle", {"part"}, ChannelShuffle{.groups = 2}},
                         {"loss", {"shuffle"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 4, parse_mesh("n4"));
  plan.layers[LayerIndex(1)].mesh = parse_mesh("c4");
  CHECK_NOTHROW(validate(plan, "p.json"));
  plan.layers[LayerIndex(2)].mesh = parse_mesh("c4");
  const InputProblem problem = problem_of([&] { validate(plan, "p.json"); });
  CHECK(problem.pointer == "/layers/2/mesh");
  CHECK(contains(problem.allowed, "moves channels of all parts"));
}

TEST_CASE("validate: refuses what cannot be run") {
  struct Row {
    std::function<void(Plan&)> change;
    std::string pointer;
    std::string value;
    std::string allowed;
  };
  const std::vector<Row> table{
      {[](Plan& p) { p.ranks = 0; }, "/ranks", "0", "1 to 1048576"},
      {[](Plan& p) { p.ranks = 2000000; }, "/ranks", "2000000", "1 to 1048576"},
      {[](Plan& p) { p.batch = 0; }, "/batch", "0", "1 to 2147483647"},
      {[](Plan& p) { p.batch = std::int64_t{1} << 31; }, "/batch", "2147483648", "2147483647"},
      {[](Plan& p) { p.bucket_bytes = 0; }, "/bucket_bytes", "0", "1 to"},
      {[](Plan& p) { p.layers.pop_back(); }, "/layers", "a list of 11", "12 layers"},
      {[](Plan& p) { p.layers.push_back({}); }, "/layers", "a list of 13", "12 layers"},
      {[](Plan& p) { p.layers[LayerIndex(3)].mesh = Mesh(); },
       "/layers/3/mesh",
       "\"1\"",
       "4 ranks"},
      {[](Plan& p) { p.ranks = 2; }, "/layers/0/mesh", "4 ranks", "2 ranks"},
      {[](Plan& p) { p.layers[LayerIndex(0)].mesh = parse_mesh("c2h2"); },
       "/layers/0/mesh",
       "\"c2h2\"",
       "axes n d h w r"},
      {[](Plan& p) { p.layers.back().mesh = parse_mesh("c2h2"); },
       "/layers/11/mesh",
       "\"c2h2\"",
       "labels and targets are read with all their channels"},
      {[](Plan& p) { p.prediction.margins[1].changes[1].split.mesh = parse_mesh("r2"); },
       "/prediction/margins/1/changes/1/mesh",
       "\"r2\", which is 2 ranks",
       "4 ranks"},
      {[](Plan& p) { p.prediction.rivals[1].settings->layers[3].split.mesh = parse_mesh("r2"); },
       "/prediction/rivals/1/settings",
       "\"r2\", which is 2 ranks",
       "4 ranks"},
      {[](Plan& p) { p.prediction.margins[1].layers[0] = "nowhere"; },
       "/prediction/margins/1/layers/0",
       "\"nowhere\"",
       "a layer of the network"},
      {[](Plan& p) { p.prediction.margins[1].changes[0].layer = "nowhere"; },
       "/prediction/margins/1/changes/0/layer",
       "\"nowhere\"",
       "a layer of the network"},
  };
  for (const Row& row : table) {
    Plan plan = sample_plan();
    row.change(plan);
    const InputProblem problem = problem_of([&] { validate(plan, "p.json"); });
    CHECK(problem.file == "p.json");
    CHECK(problem.pointer == row.pointer);
    CHECK_MESSAGE(contains(problem.value, row.value), problem.value);
    CHECK_MESSAGE(contains(problem.allowed, row.allowed), problem.allowed);
  }
}

TEST_CASE("validate: a batch whose tensors are too large, or overflow, is refused") {
  const Network network("large",
                        {{"data", {}, Input{.channels = 2, .size = {1, 1 << 18, 1 << 18}}},
                         {"loss", {"data"}, SoftmaxCrossEntropy{}}});
  struct Row {
    std::int64_t batch;
    bool is_valid;
  };
  // Each of two layers has 2^37 elements per sample, so 2^15 samples make 2^53 elements.
  for (const Row& row :
       std::vector<Row>{{1 << 15, true}, {(1 << 15) + 1, false}, {1 << 30, false}}) {
    CAPTURE(row.batch);
    const Plan plan = uniform_plan(network, row.batch, Mesh());
    if (row.is_valid) {
      CHECK_NOTHROW(validate(plan, "p.json"));
    } else {
      const InputProblem problem = problem_of([&] { validate(plan, "p.json"); });
      CHECK(problem.pointer == "/batch");
      CHECK(contains(problem.value, row.batch == 1 << 30 ? "\"data\"" : "\"loss\""));
      CHECK(contains(problem.allowed, "at most 9007199254740992"));
    }
  }
}

}  // namespace
}  // namespace cnnplan::test
