// Tests how draws are counted, and which measurement decides.
#include "planner/summary/confidence.hpp"

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

// The rival is slower where links are slow.
Plan plan_with_draws() {
  Plan plan = small_plan();
  plan.prediction.draws = {
      .figures = {{.figure = "kernel.convolution", .error = 0.1, .factors = {1.0, 1.1, 1.1, 1.0}},
                  {.figure = "node.beta_s_per_byte",
                   .error = 0.1,
                   .factors = {0.5, 0.8, 1.2, 2.0}}},
      .steps_s = {0.1, 0.1, 0.1, 0.1}};
  plan.prediction.rivals = {
      {.plan = "n2", .ranks = 2, .step_s = 0.11, .parts = {}, .draws_s = {0.08, 0.09, 0.12, 0.16}},
      {.kind = RivalKind::next,
       .plan = "w2",
       .ranks = 2,
       .step_s = 0.2,
       .parts = {},
       .draws_s = {0.2, 0.2, 0.2, 0.2}}};
  return plan;
}

}  // namespace

TEST_CASE("confidence: wins by rival, and the figure that decides about the closest") {
  const auto found = confidence_of(plan_with_draws());
  REQUIRE(found);
  CHECK(found->draws == 4);
  CHECK(found->wins == std::vector<Wins>{{.rival = 0, .draws = 2}, {.rival = 1, .draws = 4}});
  CHECK(found->closest == 0);
  CHECK(found->figure == "node.beta_s_per_byte");
  CHECK(found->measurement == Measurement::links);
}

TEST_CASE("confidence: data parallelism counts where another plan is closer") {
  Plan plan = plan_with_draws();
  CHECK_FALSE(confidence_of(plan)->data_parallel);  // it is the closest rival itself
  plan.prediction.rivals[1].draws_s = {0.08, 0.09, 0.09, 0.16};
  REQUIRE(confidence_of(plan)->data_parallel);
  CHECK(confidence_of(plan)->closest == 1);
  CHECK(confidence_of(plan)->data_parallel == 0);
  plan.prediction.rivals[0].fits = false;
  CHECK_FALSE(confidence_of(plan)->data_parallel);
  plan = plan_with_draws();
  plan.prediction.rivals[1].draws_s = {0.08, 0.09, 0.09, 0.16};
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  CHECK_FALSE(confidence_of(plan)->data_parallel);  // it is the plan
}

TEST_CASE("confidence: of two data-parallel runs, the first one counts, which is the faster") {
  Plan plan = plan_with_draws();
  plan.prediction.rivals[1].draws_s = {0.01, 0.01, 0.01, 0.01};
  plan.prediction.rivals.insert(
      plan.prediction.rivals.begin(),
      {.plan = "n1", .ranks = 1, .step_s = 0.105, .parts = {}, .draws_s = {0.2, 0.2, 0.2, 0.05}});
  CHECK(confidence_of(plan)->closest == 2);
  CHECK(confidence_of(plan)->data_parallel == 0);
}

TEST_CASE("confidence: rivals that do not fit, lack draws or are the plan do not count") {
  Plan plan = plan_with_draws();
  plan.prediction.rivals[0].fits = false;
  plan.prediction.rivals[1].draws_s.pop_back();
  CHECK_FALSE(confidence_of(plan));
  plan = plan_with_draws();
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  REQUIRE(confidence_of(plan));
  CHECK(confidence_of(plan)->wins == std::vector<Wins>{{.rival = 1, .draws = 4}});
  CHECK_FALSE(confidence_of(small_plan()));
}

TEST_CASE("confidence: correlation") {
  CHECK(correlation_squared({1, 2, 3}, {-2, -4, -6}) == doctest::Approx(1.0));
  CHECK(correlation_squared({1, 2, 3}, {5, 5, 5}) == 0.0);
  CHECK(correlation_squared({-1, 0, 1}, {1, 0, 1}) == doctest::Approx(0.0));
}

}  // namespace cnnplan
