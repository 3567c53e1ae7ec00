// Checks that asking for few prices finds the optimum of all prices.
#include "planner/search/plans/lazy_optimum.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "planner/network/network_json.hpp"
#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/shortest_path.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/graph/problem.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr double rounding = 1e-12;

// Nothing but messages, so that nothing else keeps prices above bounds.
Platform only_messages(int ranks) {
  Platform platform = pairs_of_ranks(ranks, 1.2);
  platform.gamma_s_per_byte = platform.copy_s_per_byte = 0.0;
  return platform;
}

Problem problem_like(const Plan& sample) {
  return Problem(sample, only_messages(sample.ranks));
}

std::vector<Plan> samples() {
  std::vector<Plan> plans;
  for (const NamedPlan& named : random_plans(is_slow_build ? 12 : 24)) plans.push_back(named.plan);
  std::vector<const char*> names{"lenet", "unet-2d"};
  if (!is_slow_build) names.insert(names.end(), {"resnet50", "mobilenet_v2"});
  for (const char* name : names) {
    const Network network = read_network("configs/networks/" + std::string(name) + ".json");
    plans.push_back(uniform_plan(network, 4, Mesh({{Axis::n, 4}})));
  }
  // The last pooling reads 14 of its 15 rows of input.
  const Network vgg = read_network("configs/networks/vgg16.json");
  plans.push_back(uniform_plan(with_input_size(vgg, {1, 240, 240}), 16, Mesh({{Axis::n, 4}})));
  return plans;
}

bool is_below(const CostGraph& graph, const CostGraph& other) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto& values = graph.edges[i].costs.values();
    const auto& others = other.edges[i].costs.values();
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (values[j] > others[j] * (1 + rounding)) return false;
    }
  }
  return true;
}

double sum_of_edges(const CostGraph& graph) {
  double sum = 0.0;
  for (const CostEdge& edge : graph.edges) {
    for (double cost : edge.costs.values()) sum += cost;
  }
  return sum;
}

}  // namespace

TEST_CASE("NetworkPricing: what has no price yet is bounded from below, and not by nothing") {
  for (const Plan& sample : samples()) {
    CAPTURE(sample.network.name());
    const Problem problem = problem_like(sample);
    const NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
    CHECK(is_below(pricing.priced().graph, problem.whole.graph));
    for (std::size_t i = 0; i < problem.whole.least.size(); ++i) {
      CHECK(is_below(pricing.priced().least[i], problem.whole.least[i]));
    }
    if (sum_of_edges(problem.whole.graph) > 0.0 && sample.ranks > 1) {
      CHECK(sum_of_edges(pricing.priced().graph) > 0.0);
    }
  }
}

TEST_CASE("cheapest_assignment: the optimum of all prices, and the same bound") {
  for (const Plan& sample : samples()) {
    CAPTURE(sample.network.name());
    const Problem problem = problem_like(sample);
    NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
    const std::optional<Assignment> expected = eliminate(problem.whole.graph).optimum;
    const std::optional<Assignment> found = cheapest_assignment(pricing);
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) continue;
    CHECK(total_cost(problem.whole.graph, *found) ==
          relative(total_cost(problem.whole.graph, *expected), rounding));
    double bound_s = 0.0;
    for (const CostGraph& least : problem.whole.least) {
      bound_s = std::max(bound_s, eliminate(least).bound);
    }
    CHECK(step_lower_bound(pricing).seconds ==
          relative(bound_s + problem.whole.updates_s, rounding));
  }
}

TEST_CASE("cheapest_assignment_by: the shortest path of all prices") {
  const Network lenet = read_network("configs/networks/lenet.json");
  const Problem problem = problem_like(uniform_plan(lenet, 8, Mesh({{Axis::n, 8}})));
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  const Assignment found = cheapest_assignment_by(pricing, shortest_path);
  CHECK(total_cost(problem.whole.graph, found) ==
        relative(total_cost(problem.whole.graph, shortest_path(problem.whole.graph)), rounding));
}

TEST_CASE("cheapest_assignment: asks for a part of the prices only" *
          doctest::skip(is_slow_build)) {
  const Network resnet = read_network("configs/networks/resnet50.json");
  const Problem problem = problem_like(uniform_plan(resnet, 16, Mesh({{Axis::n, 16}})));
  NetworkPricing pricing(problem.blank, problem.choices, problem.prices());
  REQUIRE(cheapest_assignment(pricing).has_value());
  std::size_t pairs = 0;
  std::size_t priced = 0;
  for (std::size_t i = 0; i < problem.whole.graph.edges.size(); ++i) {
    const auto& all = problem.whole.graph.edges[i].costs.values();
    const auto& some = pricing.priced().graph.edges[i].costs.values();
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j] == 0.0) continue;
      ++pairs;
      if (some[j] == all[j]) ++priced;
    }
  }
  CHECK(priced > 0);
  CHECK(2 * priced < pairs);
}

}  // namespace cnnplan::test
