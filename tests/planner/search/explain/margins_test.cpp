// Checks margins: the additional cost of a plan without one of its choices.
#include "planner/search/explain/margins.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "planner/search/graph/min_marginals.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "planner/search/pricing/probe_ranks.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/graph/problem.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr double rounding = 1e-12;  // seconds

// Prices only the pairs that the margins ask for.
PlanMargins margins_and_sum_of(const Plan& plan, const Problem& problem) {
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  return margins(problem.blank, plan, pricing);
}

std::vector<UnitMargin> margins_of(const Plan& plan, const Problem& problem) {
  return margins_and_sum_of(plan, problem).units;
}

Problem lenet() {
  return Problem(read_network("configs/networks/lenet.json"), 8, 2);
}

// Returns the cost of the cheapest assignment in which `unit` takes one of the allowed candidates.
double least_with(const CostGraph& graph, int unit, const std::vector<bool>& allowed) {
  CostGraph dearer = graph;
  constexpr double forbidden = 1e6;
  std::vector<double>& costs = dearer.units[unit];
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += allowed[i] ? 0.0 : forbidden;
  return total_cost(dearer, *eliminate(dearer).optimum);
}

Assignment first_of_each(const PricedNetwork& priced) {
  return Assignment(priced.choices.units.size(), 0);
}

void check_by_forbidding(const Problem& problem, const Assignment& assignment) {
  const PricedNetwork& priced = problem.whole;
  const Plan plan = plan_of(problem.blank, priced.choices, assignment);
  const auto [found, sum] = margins_and_sum_of(plan, problem);
  const CostGraph& graph = priced.graph_of(sum, plan.ranks);
  REQUIRE(found.size() == assignment.size());
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const UnitSplits& choice = priced.choices.units[unit];
    const int own = assignment[unit];
    std::vector<bool> others(choice.splits.size(), true);
    others[own] = false;
    std::vector<bool> only = others;
    only.flip();
    std::vector<bool> second(choice.splits.size());
    for (std::size_t i = 0; i < second.size(); ++i) {
      second[i] = to_text(choice.splits[i]) == found[unit].runner_up;
    }
    const int index = static_cast<int>(unit);
    const double least_s = least_with(graph, index, others);
    CAPTURE(unit);
    CHECK(found[unit].margin_s == relative(least_s - least_with(graph, index, only), rounding));
    CHECK(least_with(graph, index, second) == relative(least_s, rounding));
  }
}

// Returns the cheapest assignment that differs from `assignment` in one unit.
Assignment next_to(const Assignment& assignment, const CostGraph& graph) {
  Assignment best;
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    for (int candidate = 0; candidate < graph.candidate_count(unit); ++candidate) {
      Assignment other = assignment;
      other[unit] = candidate;
      if (other == assignment) continue;
      if (best.empty() || total_cost(graph, other) < total_cost(graph, best)) best = other;
    }
  }
  return best;
}

// Returns `assignment` with the changes of a margin.
Assignment changed(const Problem& problem, Assignment assignment, const UnitMargin& margin) {
  for (std::size_t unit = 0; unit < assignment.size(); ++unit) {
    const UnitSplits& choice = problem.whole.choices.units[unit];
    for (const UnitChoice& change : margin.changes) {
      if (change.layer != problem.blank.network.layer(choice.unit.head()).name) continue;
      const auto found = std::find(choice.splits.begin(), choice.splits.end(), change.split);
      assignment[unit] = static_cast<int>(found - choice.splits.begin());
    }
  }
  return assignment;
}

double lowest_margin(const Problem& problem, const Assignment& assignment) {
  const Plan plan = plan_of(problem.blank, problem.whole.choices, assignment);
  double lowest_s = std::numeric_limits<double>::infinity();
  for (const UnitMargin& margin : margins_of(plan, problem)) {
    lowest_s = std::min(lowest_s, margin.margin_s);
  }
  return lowest_s;
}

}  // namespace

TEST_CASE("margins: what forbidding the choice costs, and who wins then") {
  const Problem line = lenet();
  check_by_forbidding(line, *eliminate(line.whole.graph).optimum);
  check_by_forbidding(line, first_of_each(line.whole));
  const Problem branches(backward_add(), 4, 4);
  check_by_forbidding(branches, *eliminate(branches.whole.graph).optimum);
}

TEST_CASE("margins: not below 0 for the cheapest assignment, below 0 elsewhere for others") {
  const Problem problem = lenet();
  const Assignment best = *eliminate(problem.whole.graph).optimum;
  CHECK(lowest_margin(problem, best) >= 0.0);
  Assignment worse = best;
  worse.back() = worse.back() == 0 ? 1 : 0;
  REQUIRE(total_cost(problem.whole.graph, worse) > total_cost(problem.whole.graph, best));
  CHECK(lowest_margin(problem, worse) < 0.0);
}

void check_changes(const Problem& problem) {
  const PricedNetwork& priced = problem.whole;
  const Assignment best = *eliminate(priced.graph).optimum;
  const Plan plan = plan_of(problem.blank, priced.choices, best);
  const std::vector<UnitMargin> found = margins_of(plan, problem);
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const Assignment other = changed(problem, best, found[unit]);
    const UnitSplits& choice = priced.choices.units[unit];
    CHECK(to_text(choice.splits[other[unit]]) == found[unit].runner_up);
    CHECK(total_cost(priced.graph, other) - total_cost(priced.graph, best) ==
          relative(found[unit].margin_s, rounding));
  }
}

TEST_CASE("margins: the changes make the plan that the margin is of") {
  check_changes(lenet());
  check_changes(Problem(backward_add(), 4, 4));
}

TEST_CASE("margins: no changes where the best plan with them costs less than the plan") {
  const Problem problem = lenet();
  const Assignment first = first_of_each(problem.whole);
  const Plan plan = plan_of(problem.blank, problem.whole.choices, first);
  const auto [found, sum] = margins_and_sum_of(plan, problem);
  const CostGraph& graph = problem.whole.graph_of(sum, plan.ranks);
  const double plan_s = total_cost(graph, first);
  const UnitCosts least = MinMarginals::of(graph).value().costs();
  int without = 0;
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const double other_s = least[unit].front() + found[unit].margin_s;
    CHECK(found[unit].changes.empty() == (other_s < plan_s));
    without += found[unit].changes.empty() ? 1 : 0;
  }
  CHECK(without > 0);
}

TEST_CASE("margins: of the sum in which the plan costs least, or is closest to that" *
          doctest::skip(is_slow_build)) {
  const Problem problem(read_network("configs/networks/resnet50.json"), 8, 8);
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  const Assignment in_all = *cheapest_assignment(pricing);
  const Plan plan = plan_of(problem.blank, problem.choices, in_all);
  CHECK(margins(problem.blank, plan, pricing).sum == OperationSum{});
  const std::vector<int> ranks = probe_ranks(8);
  const std::vector<Assignment> of_ranks = step_lower_bound(pricing).assignments;
  REQUIRE(of_ranks.size() == ranks.size());
  const bool differs = total_cost(problem.whole.graph, of_ranks.front()) >
                       total_cost(problem.whole.graph, in_all) * (1 + rounding);
  REQUIRE(differs);
  const Plan other = plan_of(problem.blank, problem.choices, of_ranks.front());
  const PlanMargins found = margins(problem.blank, other, pricing);
  CHECK(found.sum.rank == ranks.front());
  for (const UnitMargin& margin : found.units) CHECK(margin.margin_s >= 0.0);
  const Assignment near = next_to(of_ranks.front(), problem.whole.least.front());
  const Plan nearly = plan_of(problem.blank, problem.choices, near);
  CHECK(margins(problem.blank, nearly, pricing).sum.rank == ranks.front());
}

TEST_CASE("margins: methods that are chosen after the splits do not matter") {
  const Problem problem = lenet();
  Plan plan =
      plan_of(problem.blank, problem.whole.choices, *eliminate(problem.whole.graph).optimum);
  const std::vector<UnitMargin> expected = margins_of(plan, problem);
  REQUIRE(!expected.empty());
  plan.layers.back().gather = GatherMethod::by_node_n;
  CHECK(margins_of(plan, problem) == expected);
}

TEST_CASE("margins: every layer is named once, the one that chooses first") {
  const Problem problem(backward_add(), 4, 2);
  const PricedNetwork& priced = problem.whole;
  const Plan plan = plan_of(problem.blank, priced.choices, *eliminate(priced.graph).optimum);
  std::size_t layers = 0;
  const std::vector<UnitMargin> found = margins_of(plan, problem);
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const LayerIndex head = priced.choices.units[unit].unit.head();
    CHECK(found[unit].layers.front() == plan.network.layer(head).name);
    layers += found[unit].layers.size();
  }
  CHECK(layers == static_cast<std::size_t>(plan.network.layer_count()));
}

TEST_CASE("margins: a plan of other splits has none") {
  const Problem problem = lenet();
  Plan plan = plan_of(problem.blank, problem.choices, first_of_each(problem.whole));
  plan.layers.front().mesh = parse_mesh("n1");
  CHECK(margins_of(plan, problem).empty());
}

TEST_CASE("margins: the same split, computed again, is no other choice") {
  const Network resnet = read_network("configs/networks/resnet50.json");
  const Problem plain(with_input_size(resnet, {1, 64, 64}), 4, 2);
  const SplitChoices choices = split_choices_with_recompute(plain.blank);
  NetworkPricing pricing(plain.blank, choices, plain.prices());
  const Plan plan = plan_of(plain.blank, choices, first_of_each(pricing.price_all()));
  const std::vector<UnitMargin> found = margins(plain.blank, plan, pricing).units;
  REQUIRE(found.size() == choices.units.size());
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    CHECK(found[unit].runner_up != to_text(choices.units[unit].splits.front()));
  }
}

}  // namespace cnnplan::test
