// Compares the search with GLPK, on graphs that are too large to try all assignments.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/graph/memory_limit.hpp"
#include "tests/planner/search/graph/glpk_optimum.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr double rounding = 1e-9;
constexpr int skipped = 77;

// Multiples of 1e-4, which GLPK's tolerance of 1e-7 of a sum of dozens of them keeps apart.
void round_costs(CostGraph& graph) {
  const auto rounded = [](double cost) { return std::round(1e4 * cost) / 1e4; };
  for (std::vector<double>& unit : graph.units) {
    for (double& cost : unit) cost = rounded(cost);
  }
  for (CostEdge& edge : graph.edges) {
    CostMatrix costs = edge.costs.matrix();
    for (int row = 0; row < costs.rows(); ++row) {
      for (double& cost : costs.row(row)) cost = rounded(cost);
    }
    edge.costs = std::move(costs);
  }
}

LimitedGraph random_graph(std::mt19937& random, const GraphShape& shape, int units) {
  LimitedGraph graph;
  graph.seconds =
      shape.graph(random, {.units = units, .most_candidates = 8, .least_candidates = 3});
  graph.bytes = random_bytes(random, graph.seconds);
  round_costs(graph.seconds);
  return graph;
}

// Every process writes a file of its own, so builds can be tested at the same time.
Assignment optimum_of(const LimitedGraph& graph) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("cnnplan-oracle-" + std::to_string(getpid()) + ".lp");
  const std::optional<Assignment> found = glpk_optimum(graph, file);
  std::filesystem::remove(file);
  std::filesystem::remove(file.string() + ".solution");
  REQUIRE(found.has_value());
  REQUIRE(found->size() == graph.seconds.units.size());
  return *found;
}

void skip_without_glpsol() {
  if (has_glpsol()) return;
  std::cerr << "skipped: no glpsol (Debian's glpk-utils)\n";
  std::exit(skipped);
}

}  // namespace

TEST_CASE("eliminate: GLPK's optimum on 10 to 40 units") {
  skip_without_glpsol();
  std::mt19937 random(21);
  int better_than_paths = 0;
  for (const GraphShape& shape : graph_shapes()) {
    for (int units : {10, 18, 27, 40}) {
      CAPTURE(shape.name);
      CAPTURE(units);
      const LimitedGraph graph = random_graph(random, shape, units);
      const double least = total_cost(graph.seconds, optimum_of(graph));
      const Elimination found = eliminate(graph.seconds);
      REQUIRE(found.optimum.has_value());
      CHECK(found.bound == relative(least, rounding));
      CHECK(total_cost(graph.seconds, *found.optimum) == relative(least, rounding));
      const double by_paths = total_cost(graph.seconds, longest_path_first(graph.seconds));
      CHECK(by_paths >= least * (1 - rounding));
      if (by_paths > least * (1 + rounding)) ++better_than_paths;
    }
  }
  CHECK(better_than_paths > 5);
}

TEST_CASE("fastest_within: GLPK's optimum within a limit") {
  skip_without_glpsol();
  std::mt19937 random(22);
  int tight = 0;
  for (const GraphShape& shape : graph_shapes()) {
    for (int units : {12, 18, 24}) {
      for (double share : {0.15, 0.6}) {
        CAPTURE(shape.name);
        CAPTURE(units);
        CAPTURE(share);
        LimitedGraph graph = random_graph(random, shape, units);
        const double least_bytes = eliminate(graph.bytes).bound;
        const Elimination fastest = eliminate(graph.seconds);
        const double most_bytes = total_cost(graph.bytes, *fastest.optimum);
        graph.limit_bytes = std::floor(least_bytes + share * (most_bytes - least_bytes));
        const Assignment optimum = optimum_of(graph);
        CHECK(total_cost(graph.bytes, optimum) <= graph.limit_bytes);
        const double least = total_cost(graph.seconds, optimum);
        const WithinLimit found = fastest_within(graph);
        REQUIRE(found.best.has_value());
        CHECK(found.exact);
        CHECK(total_cost(graph.bytes, *found.best) <= graph.limit_bytes);
        CHECK(found.bound_s <= least * (1 + rounding));
        CHECK(total_cost(graph.seconds, *found.best) == relative(least, rounding));
        if (least > fastest.bound * (1 + rounding)) ++tight;
      }
    }
  }
  CHECK(tight > 40);
}

TEST_CASE("eliminate: the bound is below GLPK's optimum where units cannot be eliminated") {
  skip_without_glpsol();
  std::mt19937 random(23);
  const GraphShape branches{"branches", random_branches};
  for (int units : {10, 14, 18}) {
    CAPTURE(units);
    const LimitedGraph graph = random_graph(random, branches, units);
    const double least = total_cost(graph.seconds, optimum_of(graph));
    const Elimination found = eliminate(graph.seconds);
    CHECK_FALSE(found.optimum.has_value());
    CHECK(found.bound <= least * (1 + rounding));
    CHECK(total_cost(graph.seconds, longest_path_first(graph.seconds)) >= least * (1 - rounding));
  }
}

}  // namespace cnnplan
