// Checks that predictions in plan files are accepted, and that contradictions are refused.
#include "planner/search/explain/prediction_check.hpp"

#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/search/solve.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

SolveRequest request_for(const Network& network, std::int64_t batch, int ranks) {
  return {.network = network,
          .ranks = ranks,
          .batch = batch,
          .platform = default_platform(ranks),
          .profile = {}};
}

Plan solved(const Network& network, std::int64_t batch, int ranks) {
  return solve(request_for(network, batch, ranks));
}

// Where a solved plan is wrong after a change of its prediction.
std::string pointer_after(const std::function<void(Prediction&)>& change) {
  static const Plan right = solved(read_network("configs/networks/lenet.json"), 8, 8);
  Plan plan = right;
  change(plan.prediction);
  const InputProblem problem = problem_of([&] { check_prediction(plan, "plan.json"); });
  CHECK(problem.file == "plan.json");
  return problem.pointer;
}

}  // namespace

TEST_CASE("check_prediction: what solve writes is right") {
  for (const NamedPlan& named : random_plans(is_slow_build ? 6 : 12)) {
    CAPTURE(named.name);
    const Plan& sample = named.plan;
    const Plan plan = solved(sample.network, sample.batch, sample.ranks);
    CHECK_NOTHROW(check_prediction(plan, "plan.json"));
    CHECK_NOTHROW(check_prediction(parse_plan(to_json(plan), "plan.json"), "plan.json"));
  }
  if (is_slow_build) return;
  const Network resnet = read_network("configs/networks/resnet50.json");
  CHECK_NOTHROW(check_prediction(solved(resnet, 64, 64), "plan.json"));
}

TEST_CASE("check_prediction: a plan without a prediction is right") {
  const Network lenet = read_network("configs/networks/lenet.json");
  CHECK_NOTHROW(check_prediction(uniform_plan(lenet, 8, parse_mesh("n2")), "plan.json"));
}

TEST_CASE("check_prediction: what contradicts the rest is refused where it stands") {
  CHECK(pointer_after([](Prediction& p) { p.step_s *= 1.001; }) == "/prediction/gap");
  CHECK(pointer_after([](Prediction& p) { p.gap += 1e-6; }) == "/prediction/gap");
  CHECK(pointer_after([](Prediction& p) { p.bound_s = 0.0; }) == "/prediction/gap");
  CHECK(pointer_after([](Prediction& p) { p.operations[1].critical_s += 0.001 * p.step_s; }) ==
        "/prediction/operations");
  const auto with_steps = [](const std::vector<PartitionedStep>& steps) {
    return pointer_after([&](Prediction& p) { p.partitioning.steps = steps; });
  };
  CHECK(with_steps({{.partitions = 2, .step_s = 1.0}}) ==
        "/prediction/partitioning/steps/0/partitions");
  CHECK(with_steps({{.step_s = 1.0}, {.step_s = 1.0}}) ==
        "/prediction/partitioning/steps/1/partitions");
  CHECK(with_steps({{.step_s = 1.0}, {.partitions = 2}}) ==
        "/prediction/partitioning/steps/1/step_s");
  CHECK(pointer_after([](Prediction& p) { p.margins_sum.rank = 8; }) == "/prediction/margins_rank");
  CHECK(pointer_after([](Prediction& p) { p.margins_sum.rank = 3; }) == "/prediction/margins_rank");
  CHECK(pointer_after([](Prediction& p) { p.operations[2].id = "conv1/forward/tea"; }) ==
        "/prediction/operations/2/id");
  CHECK(pointer_after([](Prediction& p) { p.operations.resize(3); }) == "/prediction/operations");
  CHECK(pointer_after([](Prediction& p) {
          p.operations.push_back(
              {.id = "conv9/forward", .place = {.part = OperationPart::forward, .layer = "conv9"}});
        }).starts_with("/prediction/operations/"));
  CHECK(pointer_after([](Prediction& p) { p.operations[1].place.part = OperationPart::update; }) ==
        "/prediction/operations/1/part");
  CHECK(pointer_after([](Prediction& p) { p.operations[1].place.layer = "conv2"; }) ==
        "/prediction/operations/1/layer");
  CHECK(pointer_after([](Prediction& p) { p.operations[1].place.level = 0; }) ==
        "/prediction/operations/1/level");
  CHECK(pointer_after([](Prediction& p) {
          p.operations.push_back(p.operations.front());
        }).starts_with("/prediction/operations/"));
  CHECK(pointer_after([](Prediction& p) {
          p.margins.back().changes = {{.layer = "relu1", .split = {}}};
        }).ends_with("/changes/0/layer"));
}

}  // namespace cnnplan::test
