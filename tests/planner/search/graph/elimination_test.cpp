// Compares elimination with brute force, and checks bounds, repeated blocks and changed costs.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/graph/min_marginals.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr double rounding = 1e-12;

// Makes a residual network: blocks of two units with a shortcut around them.
CostGraph random_residual(std::mt19937& random, int blocks) {
  CostGraph graph = random_line(random, {.units = 1 + 2 * blocks, .most_candidates = 3});
  for (int block = 0; block < blocks; ++block) {
    const int from = 2 * block;
    CostMatrix costs(graph.candidate_count(from), graph.candidate_count(from + 2));
    for (int row = 0; row < costs.rows(); ++row) costs(row, row % costs.columns()) = 0.7;
    graph.edges.push_back({from, from + 2, costs});
  }
  return graph;
}

bool has_edge(const CostGraph& graph, int a, int b) {
  return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const CostEdge& edge) {
    return edge.from == std::min(a, b) && edge.to == std::max(a, b);
  });
}

// Draws one in `of` candidates, at random.
std::vector<Choice> some_choices(const CostGraph& graph, std::size_t of, std::mt19937& random) {
  std::vector<Choice> choices;
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    for (int candidate = 0; candidate < graph.candidate_count(unit); ++candidate) {
      if (random() % of == 0) choices.push_back({unit, candidate});
    }
  }
  return choices;
}

// The choices at the ends of every edge that has a changed one.
void add_pairs(const CostGraph& graph,
               const Assignment& optimum,
               const Change& change,
               std::set<std::array<Choice, 2>>& pairs) {
  Assignment assignment = optimum;
  for (const auto& [unit, candidate] : change) assignment[unit] = candidate;
  for (const CostEdge& edge : graph.edges) {
    const Choice from{edge.from, assignment[edge.from]};
    const Choice to{edge.to, assignment[edge.to]};
    const bool changed = from.candidate != optimum[from.unit] || to.candidate != optimum[to.unit];
    if (changed) pairs.insert({from, to});
  }
}

// `graph` where `unit` has nothing but this candidate.
CostGraph with_fixed(CostGraph graph, int unit, int candidate) {
  std::vector<double>& costs = graph.units[unit];
  costs = {costs[candidate]};
  for (CostEdge& edge : graph.edges) {
    std::vector<int> rows(edge.costs.rows());
    std::vector<int> columns(edge.costs.columns());
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    if (edge.from == unit) rows = {candidate};
    if (edge.to == unit) columns = {candidate};
    edge.costs = selected(edge.costs.matrix(), rows, columns);
  }
  return graph;
}

void check_marginals(const CostGraph& graph, const UnitCosts& marginals) {
  REQUIRE(marginals.size() == graph.units.size());
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    const std::vector<double>& costs = marginals[unit];
    REQUIRE(static_cast<int>(costs.size()) == graph.candidate_count(unit));
    for (int candidate = 0; candidate < graph.candidate_count(unit); ++candidate) {
      const CostGraph fixed = with_fixed(graph, unit, candidate);
      const double least = total_cost(fixed, brute_force(fixed));
      CAPTURE(unit);
      CAPTURE(candidate);
      CHECK(costs[candidate] == relative(least, rounding));
    }
  }
}

}  // namespace

TEST_CASE("eliminate: exact on lines, trees and residual networks") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int kind = round % 3;
    const GraphSize size{.units = 1 + round % 8, .most_candidates = 3};
    const CostGraph graph = kind == 0   ? random_line(random, size)
                            : kind == 1 ? random_tree(random, size)
                                        : random_residual(random, 1 + round % 4);
    CAPTURE(round);
    const Elimination result = eliminate(graph);
    const double least = total_cost(graph, brute_force(graph));
    REQUIRE(result.optimum.has_value());
    CHECK(total_cost(graph, *result.optimum) == relative(least, rounding));
    CHECK(result.bound == relative(least, rounding));
  }
}

// Changes the price of a unit, or of a pair by a new matrix.
void change_one(CostGraph& graph, std::mt19937& random) {
  std::vector<double>& unit = graph.units[random() % graph.units.size()];
  if (graph.edges.empty() || random() % 2 == 0) {
    unit[random() % unit.size()] += 0.25;
    return;
  }
  CostEdge& edge = graph.edges[random() % graph.edges.size()];
  CostMatrix costs = edge.costs.matrix();
  const int row = static_cast<int>(random() % costs.rows());
  const int column = static_cast<int>(random() % costs.columns());
  costs(row, column) += 0.5;
  edge.costs = std::move(costs);
}

TEST_CASE("elimination_steps: what is known of the run before changes nothing") {
  std::mt19937 random(11);
  for (const GraphShape& shape : graph_shapes()) {
    CAPTURE(shape.name);
    CostGraph graph = shape.graph(random, {.units = 12, .most_candidates = 4});
    FoldedCosts folded;
    for (int round = 0; round < 40; ++round) {
      CAPTURE(round);
      const EliminationSteps known = elimination_steps(graph, folded);
      const EliminationSteps fresh = elimination_steps(graph);
      CHECK(known.bound == fresh.bound);
      CHECK(known.optimum == fresh.optimum);
      REQUIRE(known.steps.size() == fresh.steps.size());
      for (std::size_t i = 0; i < known.steps.size(); ++i) {
        CHECK(known.steps[i].unit == fresh.steps[i].unit);
        CHECK(known.steps[i].own_costs == fresh.steps[i].own_costs);
        CHECK(known.steps[i].pair_costs == fresh.steps[i].pair_costs);
      }
      if (round % 3 > 0) change_one(graph, random);
    }
  }
}

TEST_CASE("elimination_steps: blocks that repeat fold into the same matrices") {
  constexpr int blocks = 60;
  CostGraph graph;
  const SharedCosts pair(CostMatrix(3, 3, 0.5));
  const SharedCosts around(CostMatrix(3, 3, 0.25));
  for (int unit = 0; unit < 2 * blocks + 1; ++unit) {
    graph.units.push_back({1.0, 2.0, 3.0});
    if (unit > 0) graph.edges.push_back({unit - 1, unit, pair});
    if (unit > 0 && unit % 2 == 0) graph.edges.push_back({unit - 2, unit, around});
  }
  const EliminationSteps found = elimination_steps(graph);
  std::set<const CostMatrix*> matrices;
  for (const EliminationStep& step : found.steps) {
    for (const SharedCosts& costs : step.pair_costs) matrices.insert(&costs.matrix());
  }
  CHECK(found.steps.size() == graph.units.size());
  CHECK(matrices.size() < 8);
}

TEST_CASE("eliminate: the bound is never above the optimum, above the sum of the minima") {
  std::mt19937 random(6);
  int incomplete = 0;
  for (int round = 0; round < 300; ++round) {
    const CostGraph graph = random_branches(random, {.units = 2 + round % 7, .most_candidates = 3});
    const Elimination result = eliminate(graph);
    const double least = total_cost(graph, brute_force(graph));
    CHECK(eliminate(graph).bound <= least + rounding);
    CHECK(eliminate(graph).bound <= total_cost(graph, longest_path_first(graph)) + rounding);
    CHECK(eliminate(graph).bound > 0);
    if (!result.optimum) ++incomplete;
  }
  CHECK(incomplete > 0);
}

TEST_CASE("MinMarginals: up to the limit the same as without, beyond it infinite") {
  std::mt19937 random(12);
  int within = 0;
  int beyond = 0;
  for (const GraphShape& shape : graph_shapes()) {
    CAPTURE(shape.name);
    for (int round = 0; round < 20; ++round) {
      const CostGraph graph = shape.graph(random, {.units = 12, .most_candidates = 5});
      const UnitCosts all = MinMarginals::of(graph).value().costs();
      const double limit = eliminate(graph).bound * (1.0 + 0.01 * (round % 10));
      const MinMarginals found(elimination_steps(graph), limit * (1 + rounding));
      for (std::size_t unit = 0; unit < all.size(); ++unit) {
        for (std::size_t i = 0; i < all[unit].size(); ++i) {
          const bool is_within = all[unit][i] <= limit * (1 + rounding);
          ++(is_within ? within : beyond);
          CHECK(std::isinf(found.costs()[unit][i]) == !is_within);
          if (is_within) CHECK(found.costs()[unit][i] == relative(all[unit][i], rounding));
        }
      }
    }
  }
  CHECK(within > 100);
  CHECK(beyond > 100);
}

TEST_CASE("MinMarginals: by unit and candidate what trying all assignments with it gives") {
  std::mt19937 random(8);
  int known = 0;
  for (int round = 0; round < 400; ++round) {
    const int kind = round % 4;
    const GraphSize size{.units = 1 + round % 7, .most_candidates = 3};
    const CostGraph graph = kind == 0   ? random_line(random, size)
                            : kind == 1 ? random_tree(random, size)
                            : kind == 2 ? random_branches(random, size)
                                        : random_residual(random, 1 + round % 3);
    CAPTURE(round);
    const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
    CHECK(marginals.has_value() == eliminate(graph).optimum.has_value());
    if (!marginals) continue;
    ++known;
    check_marginals(graph, marginals->costs());
  }
  CHECK(known > 300);
  CHECK(known < 400);
}

TEST_CASE("MinMarginals: the cheapest assignment with a candidate costs what its marginal says") {
  std::mt19937 random(9);
  std::size_t most_changes = 0;
  for (int round = 0; round < 300; ++round) {
    const GraphSize size{.units = 1 + round % 12, .most_candidates = 4};
    const CostGraph graph = round % 3 == 0   ? random_line(random, size)
                            : round % 3 == 1 ? random_tree(random, size)
                                             : random_residual(random, 1 + round % 5);
    const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
    REQUIRE(marginals.has_value());
    for (int unit = 0; unit < graph.unit_count(); ++unit) {
      for (int candidate = 0; candidate < graph.candidate_count(unit); ++candidate) {
        const Change change = marginals->changes_with({unit, candidate});
        Assignment assignment = marginals->optimum();
        for (const auto& [other, changed] : change) {
          CHECK(assignment[other] != changed);
          assignment[other] = changed;
        }
        CHECK(assignment[unit] == candidate);
        const double cost = marginals->costs()[unit][candidate];
        CHECK(total_cost(graph, assignment) == relative(cost, rounding));
        most_changes = std::max(most_changes, change.size());
      }
    }
  }
  CHECK(most_changes > 3);
}

TEST_CASE("MinMarginals: pairs of many choices are those of each choice's assignment") {
  std::mt19937 random(10);
  for (int round = 0; round < 3000; ++round) {
    const GraphSize size{.units = 2 + round % 11, .most_candidates = 4};
    const GraphShape& shape = graph_shapes()[round % graph_shapes().size()];
    const CostGraph graph = shape.graph(random, size);
    const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
    REQUIRE(marginals.has_value());
    const std::vector<Choice> choices = some_choices(graph, 1 + round % 6, random);
    std::set<std::array<Choice, 2>> one_by_one;
    for (const Choice& choice : choices) {
      add_pairs(graph, marginals->optimum(), marginals->changes_with(choice), one_by_one);
    }
    std::set<std::array<Choice, 2>> together;
    for (const auto& [first, second] : marginals->pairs_with(choices)) {
      const bool is_edge = has_edge(graph, first.unit, second.unit);
      if (is_edge) together.insert({std::min(first, second), std::max(first, second)});
    }
    CAPTURE(shape.name);
    CHECK(std::includes(together.begin(), together.end(), one_by_one.begin(), one_by_one.end()));
    CHECK(together.size() <= one_by_one.size() + graph.edges.size());
  }
}

TEST_CASE("MinMarginals: where two ways up meet, the first is a way down of the second") {
  const auto costs = [](double a, double b, double c, double d) {
    CostMatrix matrix(2, 2);
    matrix(0, 0) = a;
    matrix(0, 1) = b;
    matrix(1, 0) = c;
    matrix(1, 1) = d;
    return matrix;
  };
  const CostGraph graph{.units = {{0, 8}, {0, 1}, {0, 6}, {0, 2}},
                        .edges = {{0, 2, costs(0, 8, 1, 7)},
                                  {0, 3, costs(0, 0, 7, 2)},
                                  {1, 2, costs(0, 0, 5, 1)},
                                  {1, 3, costs(0, 0, 8, 3)},
                                  {2, 3, costs(0, 2, 2, 5)}}};
  const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
  REQUIRE(marginals.has_value());
  const std::vector<Choice> choices{{0, 1}, {1, 1}};
  const auto pairs = marginals->pairs_with(choices);
  // The second takes 0, 1, 0, 1.
  CHECK(std::any_of(pairs.begin(), pairs.end(), [](const ChoicePair& pair) {
    return pair.first == Choice{0, 0} && pair.second == Choice{3, 1};
  }));
}

TEST_CASE("MinMarginals: changes of a whole chain are followed once") {
  // Whoever leaves the first candidate does so with all others.
  constexpr int units = 2000;
  CostGraph graph;
  graph.units.assign(units, {1.0, 1.1});
  CostMatrix differs(2, 2);
  differs(0, 1) = differs(1, 0) = 1e3;
  std::vector<Choice> choices;
  for (int unit = 0; unit < units; ++unit) {
    if (unit > 0) graph.edges.push_back({unit - 1, unit, differs});
    choices.push_back({unit, 1});
  }
  const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
  REQUIRE(marginals.has_value());
  CHECK(marginals->changes_with(choices.front()).size() == units);
  CHECK(marginals->pairs_with(choices).size() < 3 * units);
}

TEST_CASE("MinMarginals: parts that do not touch count in each other's costs") {
  const CostGraph graph{.units = {{1.0, 4.0}, {10.0, 20.0}}, .edges = {}};
  CHECK(MinMarginals::of(graph).value().costs() == UnitCosts{{11.0, 14.0}, {11.0, 21.0}});
}

TEST_CASE("eliminate: nothing costs nothing") {
  CHECK(eliminate({}).bound == 0.0);
}

TEST_CASE("eliminate: a large residual network stays exact") {
  std::mt19937 random(7);
  const CostGraph graph = random_residual(random, 85);
  const Elimination result = eliminate(graph);
  REQUIRE(result.optimum.has_value());
  CHECK(total_cost(graph, *result.optimum) == relative(result.bound, rounding));
}

}  // namespace cnnplan
