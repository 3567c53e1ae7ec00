// Tests the report about the operations that a step waits for, and when more ranks become faster.
#include "planner/report/limits.hpp"

#include <doctest/doctest.h>

#include "tests/planner/json/samples.hpp"
#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {

TEST_CASE("limits_text: what the step waits for, in falling order, without small parts") {
  CHECK(limits_text(small_plan()) ==
        "backward filter 30.5 %, forward 21.0 %, backward data 20.0 %, gradient reductions 15.5 %, "
        "updates 7.0 %, statistics 3.0 %, halo 2.0 %, loading 1.0 %");
  Plan plan = small_plan();
  plan.prediction.operations.front().critical_s = 0.0005;
  CHECK(limits_text(plan).ends_with("halo 2.0 %"));
  plan.prediction.operations.clear();
  CHECK(limits_text(plan).empty());
}

TEST_CASE("limits_text: levels of chains, what others compute, and messages") {
  Plan plan = test::sample_chain_plan();
  plan.prediction.operations = {
      {.id = "data/load",
       .critical_s = 0.01,
       .place = {.part = OperationPart::load, .layer = "data"}},
      {.id = "b0/forward/guess/level_2",
       .critical_s = 0.02,
       .place = {.part = OperationPart::forward, .layer = "b0", .level = 2}},
      {.id = "b1/forward/cycle_1/relax/level_0",
       .critical_s = 0.3,
       .place = {.part = OperationPart::forward, .layer = "b1", .level = 0}},
      {.id = "b1_add/forward/cycle_1/relax/level_1",
       .critical_s = 0.04,
       .place = {.part = OperationPart::forward, .layer = "b1_add", .level = 1}},
      {.id = "b2_add/forward/shuffle/cycle_1/relax/level_0",
       .critical_s = 0.1,
       .place = {.part = OperationPart::shuffle, .layer = "b2_add", .level = 0}},
      {.id = "b1/backward_filter",
       .critical_s = 0.4,
       .place = {.part = OperationPart::backward_filter, .layer = "b1"}},
      {.id = "b0/backward_data/finish",
       .critical_s = 0.05,
       .place = {.part = OperationPart::backward_data, .layer = "b0", .level = 0}},
      {.id = "reduce/0", .critical_s = 0.06, .place = {.part = OperationPart::gradient_reduction}},
      {.id = "sgd/0", .critical_s = 0.02, .place = {.part = OperationPart::update}}};
  CHECK(limits_text(plan) ==
        "finest level 75.0 %, messages 10.0 %, coarse levels 6.0 %, gradient reductions 6.0 %, "
        "updates 2.0 %, other layers 1.0 %");
}

TEST_CASE("break_even_text: the number of ranks from which a split is faster, and the gain") {
  Partitioning partitioning{.plan = "multigrid l4",
                            .step_s = 0.05,
                            .steps = {{.partitions = 1, .step_s = 0.1},
                                      {.partitions = 2, .step_s = 0.125},
                                      {.partitions = 3, .step_s = 0.08},
                                      {.partitions = 4, .step_s = 0.05}}};
  CHECK(break_even_text(partitioning) ==
        "faster than in order on 1 rank from 3 ranks on; by partitions, times as fast: 2: 0.80, "
        "3: 1.25, 4: 2.00");
  partitioning.sample_ranks = 2;
  const auto says = [&](const char* part) {
    return break_even_text(partitioning).find(part) != std::string::npos;
  };
  CHECK(says("faster than in order on 2 ranks from 6 ranks on, 2 for each partition; by"));
  partitioning.steps.front().fits = false;
  partitioning.steps[1].fits = false;
  CHECK(says("in order on 2 ranks (too large) from"));
  CHECK(says(": 2: 0.80 (too large), 3: 1.25, 4: 2.00"));
  partitioning.steps[2].fits = false;
  CHECK(says(" from 8 ranks on, "));
  partitioning.steps[2].fits = true;
  partitioning.steps[3].step_s = 0.2;
  CHECK(says(" with 6 to 6 ranks, "));
  partitioning = {.steps = {{.step_s = 0.1}, {.partitions = 2, .step_s = 0.1}}};
  CHECK(says(" not up to 2 ranks; "));
  CHECK(break_even_text({}).empty());
  CHECK(break_even_text({.steps = {{.step_s = 0.1}}}).empty());
}

}  // namespace cnnplan
