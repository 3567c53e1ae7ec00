// Tests of planner/search/margins.
#include "planner/search/margins.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "planner/search/min_marginals.hpp"
#include "planner/search/pricing.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/random_graph.hpp"

namespace cnnplan::test {
namespace {

constexpr double rounding = 1e-12;  // seconds

class Problem {
 public:
  Problem(const Network& network, std::int64_t batch, int ranks)
      : platform_(default_platform(ranks)),
        prices_(platform_, kernels_),
        blank(uniform_plan(network, batch, Mesh({{Axis::r, ranks}}))),
        choices(split_choices(blank)),
        priced(price_network(blank, choices, prices_)) {}

  const PriceList& prices() const { return prices_; }
  // Priced as far as it takes.
  std::vector<UnitMargin> margins_of(const Plan& plan) const {
    NetworkPricing pricing(blank, choices, prices_);
    return margins(blank, plan, pricing);
  }

 private:
  Platform platform_;
  KernelCosts kernels_;
  PriceList prices_;

 public:
  Plan blank;
  SplitChoices choices;
  PricedNetwork priced;  // whole
};

Problem lenet() {
  return Problem(read_network("configs/networks/lenet.json"), 8, 2);
}

// Of all assignments where `unit` takes one of these candidates, the cost of the cheapest.
double least_with(const CostGraph& graph, int unit, const std::vector<bool>& allowed) {
  CostGraph dearer = graph;
  constexpr double forbidden = 1e6;
  std::vector<double>& costs = dearer.units[static_cast<std::size_t>(unit)];
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += allowed[i] ? 0.0 : forbidden;
  return total_cost(dearer, *eliminate(dearer).optimum);
}

Assignment first_of_each(const PricedNetwork& priced) {
  return Assignment(priced.choices.units.size(), 0);
}

void check_by_forbidding(const Problem& problem, const Assignment& assignment) {
  const PricedNetwork& priced = problem.priced;
  const Plan plan = plan_of(problem.blank, priced.choices, assignment);
  const std::vector<UnitMargin> found = problem.margins_of(plan);
  REQUIRE(found.size() == assignment.size());
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const UnitSplits& choice = priced.choices.units[unit];
    const auto own = static_cast<std::size_t>(assignment[unit]);
    std::vector<bool> others(choice.splits.size(), true);
    others[own] = false;
    std::vector<bool> only = others;
    only.flip();
    std::vector<bool> second(choice.splits.size());
    for (std::size_t i = 0; i < second.size(); ++i) {
      second[i] = to_text(choice.splits[i]) == found[unit].runner_up;
    }
    const int index = static_cast<int>(unit);
    const double least_s = least_with(priced.graph, index, others);
    CAPTURE(unit);
    CHECK(found[unit].margin_s ==
          doctest::Approx(least_s - least_with(priced.graph, index, only)).epsilon(rounding));
    CHECK(least_with(priced.graph, index, second) == doctest::Approx(least_s).epsilon(rounding));
  }
}

// `assignment` with the changes of a margin.
Assignment changed(const Problem& problem, Assignment assignment, const UnitMargin& margin) {
  for (std::size_t unit = 0; unit < assignment.size(); ++unit) {
    const UnitSplits& choice = problem.priced.choices.units[unit];
    for (const UnitChoice& change : margin.changes) {
      if (change.layer != problem.blank.network.layer(choice.unit.head()).name) continue;
      const auto found = std::find(choice.splits.begin(), choice.splits.end(), change.split);
      assignment[unit] = static_cast<int>(found - choice.splits.begin());
    }
  }
  return assignment;
}

double lowest_margin(const Problem& problem, const Assignment& assignment) {
  const Plan plan = plan_of(problem.blank, problem.priced.choices, assignment);
  double lowest_s = std::numeric_limits<double>::infinity();
  for (const UnitMargin& margin : problem.margins_of(plan)) {
    lowest_s = std::min(lowest_s, margin.margin_s);
  }
  return lowest_s;
}

}  // namespace

TEST_CASE("margins: what forbidding the choice costs, and who wins then") {
  const Problem line = lenet();
  check_by_forbidding(line, *eliminate(line.priced.graph).optimum);
  check_by_forbidding(line, first_of_each(line.priced));
  const Problem branches(backward_add(), 4, 4);
  check_by_forbidding(branches, *eliminate(branches.priced.graph).optimum);
}

TEST_CASE("margins: not below 0 for the cheapest assignment, below 0 elsewhere for others") {
  const Problem problem = lenet();
  const Assignment best = *eliminate(problem.priced.graph).optimum;
  CHECK(lowest_margin(problem, best) >= 0.0);
  Assignment worse = best;
  worse.back() = worse.back() == 0 ? 1 : 0;
  REQUIRE(total_cost(problem.priced.graph, worse) > total_cost(problem.priced.graph, best));
  CHECK(lowest_margin(problem, worse) < 0.0);
}

void check_changes(const Problem& problem) {
  const PricedNetwork& priced = problem.priced;
  const Assignment best = *eliminate(priced.graph).optimum;
  const Plan plan = plan_of(problem.blank, priced.choices, best);
  const std::vector<UnitMargin> found = problem.margins_of(plan);
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const Assignment other = changed(problem, best, found[unit]);
    const UnitSplits& choice = priced.choices.units[unit];
    CHECK(to_text(choice.splits[static_cast<std::size_t>(other[unit])]) == found[unit].runner_up);
    CHECK(total_cost(priced.graph, other) - total_cost(priced.graph, best) ==
          doctest::Approx(found[unit].margin_s).epsilon(rounding));
  }
}

TEST_CASE("margins: the changes make the plan that the margin is of") {
  check_changes(lenet());
  check_changes(Problem(backward_add(), 4, 4));
}

TEST_CASE("margins: no changes where the best plan with them costs less than the plan") {
  const Problem problem = lenet();
  const Assignment first = first_of_each(problem.priced);
  const double plan_s = total_cost(problem.priced.graph, first);
  const Plan plan = plan_of(problem.blank, problem.priced.choices, first);
  const UnitCosts least = *min_marginals(problem.priced.graph);
  int without = 0;
  const std::vector<UnitMargin> found = problem.margins_of(plan);
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const double other_s = least[unit].front() + found[unit].margin_s;
    CHECK(found[unit].changes.empty() == (other_s < plan_s));
    without += found[unit].changes.empty() ? 1 : 0;
  }
  CHECK(without > 0);
}

TEST_CASE("margins: every layer is named once, the one that chooses first") {
  const Problem problem(backward_add(), 4, 2);
  const PricedNetwork& priced = problem.priced;
  const Plan plan = plan_of(problem.blank, priced.choices, *eliminate(priced.graph).optimum);
  std::size_t layers = 0;
  const std::vector<UnitMargin> found = problem.margins_of(plan);
  for (std::size_t unit = 0; unit < found.size(); ++unit) {
    const LayerIndex head = priced.choices.units[unit].unit.head();
    CHECK(found[unit].layers.front() == plan.network.layer(head).name);
    layers += found[unit].layers.size();
  }
  CHECK(layers == static_cast<std::size_t>(plan.network.layer_count()));
}

TEST_CASE("margins: a plan of other splits has none") {
  const Problem problem = lenet();
  Plan plan = plan_of(problem.blank, problem.choices, first_of_each(problem.priced));
  plan.layers.front().mesh = parse_mesh("n1");
  CHECK(problem.margins_of(plan).empty());
}

TEST_CASE("margins: the same split, computed again, is no other choice") {
  const Network resnet = read_network("configs/networks/resnet50.json");
  const Problem plain(with_input_size(resnet, {1, 64, 64}), 4, 2);
  const SplitChoices choices = split_choices_with_recompute(plain.blank);
  NetworkPricing pricing(plain.blank, choices, plain.prices());
  const Plan plan = plan_of(plain.blank, choices, first_of_each(pricing.price_all()));
  const std::vector<UnitMargin> found = margins(plain.blank, plan, pricing);
  REQUIRE(found.size() == choices.units.size());
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    CHECK(found[unit].runner_up != to_text(choices.units[unit].splits.front()));
  }
}

}  // namespace cnnplan::test
