// Tests of planner/search/pricing: the graph's costs against lowered schedules.
#include "planner/search/pricing.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "planner/search/elimination.hpp"
#include "planner/search/longest_path_first.hpp"
#include "planner/search/shortest_path.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/random_graph.hpp"

namespace cnnplan::test {
namespace {

Plan blank_plan(const Network& network, std::int64_t batch, int ranks) {
  return uniform_plan(network, batch, Mesh({{Axis::r, ranks}}));
}

Network config(const char* name) {
  return read_network("configs/networks/" + std::string(name) + ".json");
}

// Of a plan's operations on one rank, nobody waiting; every unit reduces alone, as in the graph.
double sum_of_prices(Plan plan, int rank, const PriceList& prices) {
  plan.bucket_bytes = 1;
  const Schedule schedule = lower(plan, rank);
  double sum = 0.0;
  for (const Operation& operation : schedule.operations) {
    sum += prices(schedule, operation).seconds;
  }
  return sum;
}

bool few_enough_to_try_all(const CostGraph& graph) {
  double assignments = 1.0;
  for (const auto& unit : graph.units) assignments *= static_cast<double>(unit.size());
  return assignments <= 20000.0;
}

class Prices {
 public:
  explicit Prices(int ranks) : platform_(default_platform(ranks)) {}
  PriceList list() const { return PriceList(platform_, kernels_); }

 private:
  Platform platform_;
  KernelCosts kernels_;
};

}  // namespace

TEST_CASE("price_network: graphs are complete, with an edge for every input from another unit") {
  for (int ranks : {1, 2, 4, 6}) {
    const Prices prices(ranks);
    const PricedNetwork priced =
        price_network(blank_plan(config("resnet50"), 4, ranks), prices.list());
    CHECK_NOTHROW(check(priced.graph));
    REQUIRE(priced.graph.units.size() == priced.choices.units.size());
    for (std::size_t i = 0; i < priced.graph.units.size(); ++i) {
      CHECK(priced.graph.units[i].size() == priced.choices.units[i].meshes.size());
    }
    constexpr std::size_t adds = 16;
    CHECK(priced.graph.edges.size() == priced.graph.units.size() - 1 + adds);
    CHECK_FALSE(is_line(priced.graph));
  }
  CHECK(is_line(price_network(blank_plan(config("vgg16"), 4, 2), Prices(2).list()).graph));
}

TEST_CASE("price_network: one rank costs the sum of its operations") {
  const Prices prices(1);
  for (const char* name : {"lenet", "resnet50", "mesh-1k"}) {
    const Plan blank = blank_plan(config(name), 2, 1);
    const PricedNetwork priced = price_network(blank, prices.list());
    const Assignment only(priced.graph.units.size(), 0);
    CHECK(total_cost(priced.graph, only) ==
          doctest::Approx(sum_of_prices(blank, 0, prices.list())).epsilon(1e-9));
  }
}

TEST_CASE("price_network: a uniform plan costs what its operations cost") {
  const Prices prices(2);
  for (const char* name : {"lenet", "vgg16", "mesh-1k", "resnet50"}) {
    CAPTURE(name);
    const Plan blank = blank_plan(config(name), 4, 2);
    const PricedNetwork priced = price_network(blank, prices.list());
    for (const char* text : {"n2", "h2"}) {
      CAPTURE(text);
      const Mesh mesh = parse_mesh(text);
      Assignment assignment;
      for (const UnitMeshes& unit : priced.choices.units) {
        const auto found = std::find(unit.meshes.begin(), unit.meshes.end(), mesh);
        assignment.push_back(
            found == unit.meshes.end() ? 0 : static_cast<int>(found - unit.meshes.begin()));
      }
      const Plan plan = plan_of(blank, priced.choices, assignment);
      const double slowest =
          std::max(sum_of_prices(plan, 0, prices.list()), sum_of_prices(plan, 1, prices.list()));
      // A sum of slowest ranks, unit by unit, is a little above the slowest rank's sum.
      CHECK(total_cost(priced.graph, assignment) >= slowest * (1.0 - 1e-9));
      CHECK(total_cost(priced.graph, assignment) == doctest::Approx(slowest).epsilon(5e-4));
    }
  }
}

TEST_CASE("price_network: the exact method finds the least of all assignments") {
  int tried = 0;
  for (const NamedPlan& named : random_plans(40)) {
    const Plan& sample = named.plan;
    const Prices prices(sample.ranks);
    const Plan blank = blank_plan(sample.network, sample.batch, sample.ranks);
    const CostGraph graph = price_network(blank, prices.list()).graph;
    if (!few_enough_to_try_all(graph)) continue;
    CAPTURE(named.name);
    ++tried;
    const double least = total_cost(graph, brute_force(graph));
    const Elimination elimination = eliminate(graph);
    CHECK(elimination.bound == doctest::Approx(least).epsilon(1e-9));
    REQUIRE(elimination.optimum);
    CHECK(total_cost(graph, *elimination.optimum) == doctest::Approx(least).epsilon(1e-9));
    CHECK(total_cost(graph, longest_path_first(graph)) >= least * (1 - 1e-9));
    if (is_line(graph)) {
      CHECK(total_cost(graph, shortest_path(graph)) == doctest::Approx(least).epsilon(1e-9));
    }
  }
  CHECK(tried > 50);
}

}  // namespace cnnplan::test
