// Checks that plans near the optimum in sum are taken where they make ranks wait less.
#include "planner/search/plans/near_ties.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/search/graph/min_marginals.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/graph/problem.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

Plan plan_of(const Problem& problem, const Assignment& assignment) {
  return cnnplan::plan_of(problem.blank, problem.choices, assignment);
}

// Returns the cheapest assignment that takes another candidate than the optimum for some unit.
Assignment nearest_tie(const MinMarginals& marginals) {
  Choice nearest;
  double least = std::numeric_limits<double>::infinity();
  for (int unit = 0; unit < static_cast<int>(marginals.costs().size()); ++unit) {
    const std::vector<double>& costs = marginals.costs()[unit];
    for (int i = 0; i < static_cast<int>(costs.size()); ++i) {
      if (i == marginals.optimum()[unit] || costs[i] >= least) continue;
      nearest = {.unit = unit, .candidate = i};
      least = costs[i];
    }
  }
  Assignment assignment = marginals.optimum();
  for (const auto& [unit, candidate] : marginals.changes_with(nearest)) {
    assignment[unit] = candidate;
  }
  return assignment;
}

Platform with_memory(Platform platform, std::int64_t bytes) {
  platform.memory_bytes = bytes;
  return platform;
}

}  // namespace

TEST_CASE("near ties: one makes ranks wait less than the best in sum" *
          doctest::skip(is_slow_build)) {
  const Network resnet = read_network("configs/networks/resnet50.json");
  const Platform lassen = read_platform("configs/platforms/lassen.json");
  Plan sample = uniform_plan(resnet, 512, Mesh({{Axis::n, 256}}));
  sample.gradient_allreduce = AllreduceAlgorithm::library;
  const Problem problem(sample, lassen);
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  const std::vector<Assignment> best = step_lower_bound(pricing).assignments;
  REQUIRE_FALSE(best.empty());
  Scores scores(problem.prices());
  const Score first =
      scores.add({SearchOrigin::least_work_of_a_rank}, plan_of(problem, best.front()));
  add_near_ties(problem.blank, pricing, pricing.priced().least.front(), scores);
  CHECK(scores.least_step_s() < 0.99 * first.step_s);
  const Plan plan = scores.fastest();
  CHECK(plan.prediction.step_s == predict(plan, problem.prices()).step_s);
}

TEST_CASE("near ties: never slower than the best in sum, nor than the nearest alone") {
  for (const NamedPlan& named : random_plans(12)) {
    CAPTURE(named.name);
    const Problem problem(named.plan, pairs_of_ranks(named.plan.ranks, 0.3));
    NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
    const std::optional<MinMarginals> marginals = MinMarginals::of(pricing.price_all().graph);
    if (!marginals) continue;
    Scores scores(problem.prices());
    add_near_ties(problem.blank, pricing, pricing.priced().graph, scores);
    const double found_s = scores.least_step_s();
    CHECK(found_s <= predicted_step_s(plan_of(problem, marginals->optimum()), problem.prices()));
    CHECK(found_s <= predicted_step_s(plan_of(problem, nearest_tie(*marginals)), problem.prices()));
  }
}

TEST_CASE("near ties: none that does not fit is taken") {
  int kept = 0;
  for (const NamedPlan& named : random_plans(12)) {
    CAPTURE(named.name);
    const Problem roomy(named.plan, pairs_of_ranks(named.plan.ranks, 0.3));
    const std::optional<MinMarginals> marginals = MinMarginals::of(roomy.whole.graph);
    if (!marginals) continue;
    const Plan best = plan_of(roomy, marginals->optimum());
    const std::int64_t bytes = predict(best, roomy.prices()).memory.total_bytes();
    const Problem tight(named.plan, with_memory(roomy.prices().platform(), bytes));
    NetworkPricing pricing(tight.blank, tight.choices, tight.prices());
    pricing.price_all();
    Scores scores(tight.prices());
    add_near_ties(tight.blank, pricing, pricing.priced().graph, scores);
    const Plan plan = scores.fastest();
    CHECK(plan.prediction.memory.total_bytes() <= bytes);
    kept += plan.layers == best.layers ? 1 : 0;
  }
  CHECK(kept > 0);
}

TEST_CASE("near ties: where branches are too entangled, nothing is tried") {
  const Network unet = read_network("configs/networks/unet-2d.json");
  const Problem problem(uniform_plan(unet, 4, Mesh({{Axis::n, 2}})), default_platform(2));
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  const bool entangled = !MinMarginals::of(problem.whole.graph);
  Scores scores(problem.prices());
  add_near_ties(problem.blank, pricing, pricing.priced().graph, scores);
  CHECK(std::isinf(scores.least_step_s()) == entangled);
}

}  // namespace cnnplan::test
