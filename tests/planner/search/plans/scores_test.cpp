// Tests of planner/search/plans/scores.
#include "planner/search/plans/scores.hpp"

#include <optional>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan::test {
namespace {

Network resnet() {
  return with_input_size(read_network("configs/networks/resnet50.json"), {1, 64, 64});
}

Plan on(const char* mesh) {
  return uniform_plan(resnet(), 4, parse_mesh(mesh));
}

PlanOrigin origin_of(const char* mesh) {
  return {UniformOrigin{.split = {.mesh = parse_mesh(mesh)}}};
}

class Machine {
 public:
  Platform platform = default_platform(4);
  PriceList prices() const { return PriceList(platform, kernels_); }
  Prediction prediction(const char* mesh) const { return predict(on(mesh), prices()); }

 private:
  KernelCosts kernels_;
};

// Scores r4, n4 and h4. The plan on r4 is the slowest, because each rank computes everything.
Scores three_scores(const PriceList& prices) {
  Scores scores(prices);
  for (const char* mesh : {"r4", "n4", "h4"}) scores.add(origin_of(mesh), on(mesh));
  return scores;
}

}  // namespace

TEST_CASE("Scores: the fastest is taken, beside the first and the second fastest") {
  const Machine machine;
  const PriceList prices = machine.prices();
  REQUIRE(machine.prediction("n4").step_s < machine.prediction("h4").step_s);
  REQUIRE(machine.prediction("h4").step_s < machine.prediction("r4").step_s);
  const Plan plan = three_scores(prices).fastest();
  CHECK(plan.layers == on("n4").layers);
  CHECK(plan.prediction.step_s == machine.prediction("n4").step_s);
  CHECK(plan.prediction.operations == machine.prediction("n4").operations);
  CHECK(plan.prediction.baseline == "r4");
  CHECK(plan.prediction.baseline_s == machine.prediction("r4").step_s);
  CHECK(plan.prediction.runner_up == "h4");
  CHECK(plan.prediction.runner_up_s == machine.prediction("h4").step_s);
}

TEST_CASE("Scores: equal splits are one plan, with the first origin") {
  const Machine machine;
  const PriceList prices = machine.prices();
  Scores scores(prices);
  scores.add({SearchOrigin::least_memory}, on("n4"));
  scores.add({SearchOrigin::near_tie}, on("n4"));
  CHECK(scores.fastest().prediction.baseline == "least memory");
  CHECK(scores.fastest().prediction.runner_up.empty());
}

TEST_CASE("Scores: plans that are not below a limit leave no trace") {
  const Machine machine;
  const PriceList prices = machine.prices();
  Scores scores(prices);
  const Score slow = scores.add(origin_of("h4"), on("h4"));
  CHECK_FALSE(scores.add_below(slow.step_s, origin_of("r4"), on("r4")).has_value());
  CHECK(scores.fastest().prediction.runner_up.empty());
  const std::optional<Score> fast = scores.add_below(slow.step_s, origin_of("n4"), on("n4"));
  REQUIRE(fast.has_value());
  CHECK(fast->step_s == machine.prediction("n4").step_s);
  CHECK(scores.fastest().prediction.runner_up == "h4");
}

TEST_CASE("Scores: what does not fit is neither taken nor second") {
  Machine machine;
  const auto bytes = [&](const char* mesh) {
    return machine.prediction(mesh).memory.total_bytes();
  };
  REQUIRE(bytes("h4") < bytes("r4"));
  const std::int64_t most = std::max(bytes("h4"), bytes("n4"));
  const std::int64_t least = std::min(bytes("h4"), bytes("n4"));
  REQUIRE(least < most);
  REQUIRE(most < bytes("r4"));
  machine.platform.memory_bytes = most;
  const PriceList prices = machine.prices();
  CHECK(three_scores(prices).fastest().prediction.runner_up == "h4");
  machine.platform.memory_bytes = most - 1;
  const Plan plan = three_scores(prices).fastest();
  CHECK(plan.prediction.memory.total_bytes() == least);
  CHECK(plan.prediction.runner_up.empty());
  CHECK(plan.prediction.runner_up_s == 0.0);
}

TEST_CASE("Scores: where nothing fits, how many were tried and what the smallest needs") {
  Machine machine;
  machine.platform.memory_bytes = 1;
  const PriceList prices = machine.prices();
  try {
    three_scores(prices).fastest();
    FAIL("a network fitted into one byte");
  } catch (const InfeasibleError& error) {
    CHECK(error.available() == 1);
    CHECK(error.needed() == std::min(machine.prediction("h4").memory.total_bytes(),
                                     machine.prediction("n4").memory.total_bytes()));
    CHECK(std::string(error.what()).starts_with("none of the 3 plans tried fits"));
  }
}

}  // namespace cnnplan::test
