// Tests the choice of a reason, and its sentence.
#include "planner/summary/reason.hpp"

#include <doctest/doctest.h>

#include "planner/summary/reason_text.hpp"
#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

Rival rival(RivalKind kind, OperationPart part, double seconds) {
  return {.kind = kind,
          .plan = "n2",
          .ranks = 2,
          .step_s = seconds,
          .memory_bytes = std::int64_t{2} << 30,
          .reduced_gradients = 314,
          .parts = {{.part = part, .critical_s = seconds}}};
}

Plan plan_against(const Rival& other) {
  Plan plan = small_plan();
  plan.prediction.rivals = {other};
  plan.prediction.reduced_gradients = 14;
  return plan;
}

std::string text_of(const Plan& plan) {
  const auto reason = reason_of(plan);
  REQUIRE(reason);
  return to_text(*reason, plan.prediction.rivals, plan.ranks, std::int64_t{1} << 30);
}

}  // namespace

TEST_CASE("reason: gradients that need no reduction") {
  const Plan plan =
      plan_against(rival(RivalKind::data_parallel, OperationPart::gradient_reduction, 0.5));
  const std::string spared = std::to_string(plan.network.parameter_count() - 14);
  CHECK(text_of(plan).starts_with(
      "On each rank " + spared + " of " + std::to_string(plan.network.parameter_count()) +
      " gradients need no reduction, so reducing gradients takes 15.5 instead of 500 ms, kernels "
      "74.5 ms more, all else 10.0"));
}

TEST_CASE("reason: memory, idle ranks, and too many ranks") {
  Rival other = rival(RivalKind::data_parallel, OperationPart::forward, 0.5);
  other.fits = false;
  CHECK(text_of(plan_against(other)) ==
        "Data parallelism needs 2.00 GiB per rank, which has 1.00 GiB.");
  other.fits = true;
  other.ranks = 1;
  CHECK(text_of(plan_against(other))
            .starts_with("Data parallelism on 1 rank leaves 1 rank idle; with it, kernels take "
                         "74.5 instead of 500 ms, all else 25.5 ms more."));
  Plan fed = plan_against(other);
  fed.batch = 1;
  CHECK(text_of(fed) ==
        "By samples, batch 1 feeds only 1 rank; on 2, kernels take 74.5 instead of 500 ms, all "
        "else 25.5 ms more.");
  other.step_s = 0.05;
  CHECK(text_of(plan_against(other)) ==
        "2 ranks are too many: reducing gradients takes 15.5 ms more than on 1 rank, where data "
        "parallelism takes 50.0 ms per step.");
}

TEST_CASE("reason: a brief sentence adds up as the full one") {
  const Plan plan =
      plan_against(rival(RivalKind::data_parallel, OperationPart::gradient_reduction, 0.5));
  const Reason reason = *reason_of(plan);
  const auto text = [&](const Reason& one) {
    return to_text(one, plan.prediction.rivals, plan.ranks, std::int64_t{1} << 30);
  };
  CHECK(text(briefer(reason)).ends_with("15.5 instead of 500 ms, all else 84.5 ms more."));
  CHECK(text(briefer(briefer(reason))) ==
        "Reducing gradients takes 15.5 instead of 500 ms, all else 84.5 ms more.");
}

TEST_CASE("reason: data parallelism is compared with the next plan") {
  Plan plan = plan_against(rival(RivalKind::next, OperationPart::halo, 0.5));
  for (LayerPlan& layer : plan.layers) layer.mesh = parse_mesh("n2");
  CHECK(
      text_of(plan).starts_with("Compared with the next plan (n2), exchanging halos takes 2.00 "
                                "instead of 500 ms"));
  plan.prediction.rivals.clear();
  CHECK_FALSE(reason_of(plan));
}

}  // namespace cnnplan
