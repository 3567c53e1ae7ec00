// Tests of planner/search/pricing/pricing: compares the graph's costs with lowered schedules.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/graph/shortest_path.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "planner/search/pricing/gather_choice.hpp"
#include "planner/search/pricing/probe_ranks.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/candidates/covering_plans.hpp"
#include "tests/planner/search/graph/problem.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

Plan blank_plan(const Network& network, std::int64_t batch, int ranks) {
  return uniform_plan(network, batch, Mesh({{Axis::r, ranks}}));
}

Network config(const char* name) {
  return read_network("configs/networks/" + std::string(name) + ".json");
}

// Layers read rows from below and from above, through the same windows and shapes.
Network both_ways() {
  const WindowDim pair{.kernel = 2, .padding_end = 1};
  const Window window{{WindowDim{}, pair, pair}};
  return Network(
      "both-ways",
      {{"data", {}, Input{.channels = 4, .size = {1, 48, 48}}},
       {"from_below", {"data"}, Convolution{.filters = 4, .window = window}},
       {"from_above",
        {"from_below"},
        TransposedConvolution{.filters = 4, .window = window, .bias = true}},
       {"below_again", {"from_above"}, Convolution{.filters = 4, .window = window}},
       {"above_again", {"below_again"}, TransposedConvolution{.filters = 4, .window = window}},
       {"loss", {"above_again"}, SoftmaxCrossEntropy{}}});
}

// Two upsamplings have equal shapes, but only one of them needs a halo.
Network both_modes() {
  const WindowDim pair{.kernel = 2, .stride = 2};
  const Pooling halved{.window = {{WindowDim{}, pair, pair}}};
  return Network("both-modes",
                 {{"data", {}, Input{.channels = 4, .size = {1, 32, 32}}},
                  {"convolution", {"data"}, Convolution{.filters = 4}},
                  {"halved", {"convolution"}, halved},
                  {"nearest", {"halved"}, Upsample{}},
                  {"halved_again", {"nearest"}, halved},
                  {"linear", {"halved_again"}, Upsample{.mode = UpsampleMode::linear}},
                  {"loss", {"linear"}, SoftmaxCrossEntropy{}}});
}

// Returns the prices of one rank's operations without waiting. Every unit reduces its gradients
// alone, as in the graph.
double sum_of_prices(Plan plan, int rank, const PriceList& prices) {
  plan.bucket_bytes = 1;
  const Schedule schedule = lower(plan, rank);
  double sum = 0.0;
  for (const Operation& operation : schedule.operations) {
    sum += prices(schedule, operation).seconds;
  }
  return sum;
}

// Returns the prices of one rank without updates, and with the least that each gradient adds to
// reductions.
double unavoidable_prices(const Plan& plan, int rank, const PriceList& prices) {
  const double gradient_bytes = 4.0 * static_cast<double>(plan.network.parameter_count());
  const Schedule schedule = lower(plan, rank);
  double sum = 0.0;
  for (const Operation& operation : schedule.operations) {
    if (operation.label.part == OperationPart::update) continue;
    sum += operation.label.part == OperationPart::gradient_reduction
               ? prices.least_s(
                     std::get<CollectiveOperation>(operation.body), plan.ranks, gradient_bytes)
               : prices(schedule, operation).seconds;
  }
  return sum;
}

double slowest_sum_of_prices(const Plan& plan, const PriceList& prices) {
  double slowest = 0.0;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    slowest = std::max(slowest, sum_of_prices(plan, rank, prices));
  }
  return slowest;
}

Assignment random_assignment(RandomValues& random, const CostGraph& graph) {
  Assignment assignment;
  for (const auto& unit : graph.units) {
    assignment.push_back(random.small(0, static_cast<int>(unit.size()) - 1));
  }
  return assignment;
}

// Returns the network with its layers in a random order in which inputs come first.
Network in_random_order(RandomValues& random, const Network& network) {
  std::vector<Layer> layers;
  std::set<std::string> placed;
  std::vector<Layer> rest = network.layers().elements();
  while (!rest.empty()) {
    const auto choice = rest.begin() + random.small(0, static_cast<int>(rest.size()) - 1);
    const auto& inputs = choice->inputs;
    const bool ready = std::all_of(
        inputs.begin(), inputs.end(), [&](const auto& input) { return placed.contains(input); });
    if (!ready) continue;
    placed.insert(choice->name);
    layers.push_back(*choice);
    rest.erase(choice);
  }
  return Network(network.name(), layers);
}

bool few_enough_to_try_all(const CostGraph& graph) {
  double assignments = 1.0;
  for (const auto& unit : graph.units) assignments *= static_cast<double>(unit.size());
  return assignments <= 20000.0;
}

class Prices {
 public:
  explicit Prices(int ranks) : platform_(default_platform(ranks)) {}
  Prices(Platform platform, const Profile& profile)
      : platform_(std::move(platform)), kernels_(profile) {}
  PriceList list() const { return PriceList(platform_, kernels_); }

 private:
  Platform platform_;
  KernelCosts kernels_;
};

// Returns random times for all kernels that a plan can need. The time of an update grows with its
// parameters. Otherwise a plan that updates more could be faster than the least for all plans.
Profile random_profile(RandomValues& random, const Plan& blank) {
  Profile profile;
  for (const Plan& plan : covering_plans(blank)) {
    for (const Schedule& schedule : lower_all(plan)) {
      for (const Operation& operation : schedule.operations) {
        const auto* kernel = std::get_if<KernelOperation>(&operation.body);
        if (kernel == nullptr) continue;
        const KernelSpec& spec = kernel->spec;
        const double seconds = spec.kind == KernelKind::sgd
                                   ? 1e-8 * static_cast<double>(volume(spec.out))
                                   : 1e-6 * random.small(1, 1000);
        profile.kernels[canonical(spec)] = {
            .repetitions = 10, .median_s = seconds, .mean_s = seconds, .min_s = seconds};
      }
    }
  }
  return profile;
}

PricedNetwork price_all(const Plan& blank, const PriceList& prices) {
  return price_network(blank, split_choices(blank), prices);
}

double step_lower_bound_of(const Plan& blank, const PriceList& prices) {
  NetworkPricing pricing(blank, split_choices(blank), prices);
  return step_lower_bound(pricing).seconds;
}

// Checks that the bounds are below the costs of random plans.
void check_bounds(RandomValues& random, const Plan& blank, const PriceList& prices) {
  const PricedNetwork priced = price_all(blank, prices);
  const double bound_s = step_lower_bound_of(blank, prices);
  const std::vector<int> ranks = probe_ranks(blank.ranks);
  for (int trial = 0; trial < 3; ++trial) {
    const Assignment assignment = random_assignment(random, priced.graph);
    const Plan plan = plan_of(blank, priced.choices, assignment);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      CHECK(total_cost(priced.least[i], assignment) <=
            unavoidable_prices(plan, ranks[i], prices) * (1 + 1e-9));
    }
    CHECK(bound_s <= predict(plan, prices).step_s * (1 + 1e-9));
  }
}

// Checks for random plans that the least of each probed rank is the price of its operations.
void check_least(RandomValues& random, const Plan& blank, const Prices& prices, int plans) {
  const PricedNetwork priced = price_all(blank, prices.list());
  const std::vector<int> probes = probe_ranks(blank.ranks);
  REQUIRE(priced.least.size() == probes.size());
  CAPTURE(blank.network.name());
  for (int trial = 0; trial < plans; ++trial) {
    const Assignment assignment = random_assignment(random, priced.graph);
    const Plan plan =
        with_gathers(plan_of(blank, priced.choices, assignment), prices.list().platform());
    for (std::size_t i = 0; i < probes.size(); ++i) {
      CHECK(total_cost(priced.least[i], assignment) ==
            relative(unavoidable_prices(plan, probes[i], prices.list()), 1e-9));
    }
  }
}

}  // namespace

TEST_CASE("price_network: graphs are complete, with an edge for every input from another unit") {
  for (int ranks : is_slow_build ? std::vector{2} : std::vector{1, 2, 4, 6}) {
    const Prices prices(ranks);
    const PricedNetwork priced = price_all(blank_plan(config("resnet50"), 4, ranks), prices.list());
    CHECK_NOTHROW(check(priced.graph));
    REQUIRE(priced.graph.units.size() == priced.choices.units.size());
    for (std::size_t i = 0; i < priced.graph.units.size(); ++i) {
      CHECK(priced.graph.units[i].size() == priced.choices.units[i].splits.size());
    }
    constexpr std::size_t adds = 16;
    CHECK(priced.graph.edges.size() == priced.graph.units.size() - 1 + adds);
    CHECK_FALSE(is_line(priced.graph));
  }
  CHECK(is_line(price_all(blank_plan(config("vgg16"), 4, 2), Prices(2).list()).graph));
}

TEST_CASE("price_network: one rank costs the sum of its operations") {
  const Prices prices(1);
  for (const char* name :
       {"lenet", "resnet50", "mesh-1k", "inception_v3", "densenet121", "residual-16"}) {
    const Plan blank = blank_plan(config(name), 2, 1);
    const PricedNetwork priced = price_all(blank, prices.list());
    const Assignment only(priced.graph.units.size(), 0);
    CHECK(total_cost(priced.graph, only) == relative(sum_of_prices(blank, 0, prices.list()), 1e-9));
  }
}

TEST_CASE("price_network: a uniform plan costs what its operations cost") {
  const Prices prices(2);
  for (const char* name : {"lenet", "vgg16", "mesh-1k", "resnet50", "densenet121", "residual-16"}) {
    CAPTURE(name);
    const Plan blank = blank_plan(config(name), 4, 2);
    const PricedNetwork priced = price_all(blank, prices.list());
    for (const char* text : {"n2", "h2"}) {
      CAPTURE(text);
      const Split mesh{.mesh = parse_mesh(text)};
      Assignment assignment;
      for (const UnitSplits& unit : priced.choices.units) {
        const auto found = std::find(unit.splits.begin(), unit.splits.end(), mesh);
        assignment.push_back(
            found == unit.splits.end() ? 0 : static_cast<int>(found - unit.splits.begin()));
      }
      const Plan plan = plan_of(blank, priced.choices, assignment);
      const double slowest = slowest_sum_of_prices(plan, prices.list());
      // A sum of slowest ranks, unit by unit, is a little above the slowest rank's sum.
      CHECK(total_cost(priced.graph, assignment) >= slowest * (1 - 1e-9));
      CHECK(total_cost(priced.graph, assignment) <= slowest * (1 + 5e-4));
    }
  }
}

TEST_CASE("price_network: an add in a unit before that of its input") {
  for (int ranks : {1, 2, 4}) {
    const Prices prices(ranks);
    const PricedNetwork priced = price_all(blank_plan(backward_add(), 4, ranks), prices.list());
    REQUIRE_NOTHROW(check(priced.graph));
    CHECK(priced.graph.edges[2].from == 1);
    CHECK(priced.graph.edges[2].to == 2);
    const double least = total_cost(priced.graph, brute_force(priced.graph));
    CHECK(eliminate(priced.graph).bound == relative(least, 1e-9));
  }
}

TEST_CASE("price_network: layers may be listed in any order") {
  RandomValues random(3);
  const Network resnet = with_input_size(config("resnet50"), {1, 64, 64});
  for (int trial = 0; trial < (is_slow_build ? 2 : 6); ++trial) {
    const Network network = in_random_order(random, resnet);
    const Prices prices(4);
    const Plan blank = blank_plan(network, 8, 4);
    const PricedNetwork priced = price_all(blank, prices.list());
    REQUIRE_NOTHROW(check(priced.graph));
    const Assignment assignment = random_assignment(random, priced.graph);
    const Plan plan = plan_of(blank, priced.choices, assignment);
    CHECK(total_cost(priced.graph, assignment) >=
          slowest_sum_of_prices(plan, prices.list()) * 0.998);
    for (const NamedPlan& named : random_plans(2)) {
      const Network small = in_random_order(random, named.plan.network);
      const Prices few(named.plan.ranks);
      const Plan small_blank = blank_plan(small, named.plan.batch, named.plan.ranks);
      CHECK_NOTHROW(check(price_all(small_blank, few.list()).graph));
    }
  }
}

TEST_CASE("price_network: of lines, what a rank must do is what its operations cost") {
  RandomValues random(5);
  for (const Network& network :
       {config("lenet"), config("vgg16"), config("mesh-1k"), both_ways(), both_modes()}) {
    for (int ranks : {2, 3, 4, 8}) {
      check_least(random, blank_plan(network, 8, ranks), Prices(ranks), is_slow_build ? 2 : 5);
    }
  }
}

TEST_CASE("price_network: ranks that share ports cost what their operations cost") {
  RandomValues random(13);
  for (const Network& network : {config("lenet"), config("mesh-1k")}) {
    for (int ranks : {4, 6}) {
      const Prices prices(pairs_of_ranks(ranks, 1.2), {});
      check_least(random, blank_plan(network, 8, ranks), prices, 1);
    }
  }
}

TEST_CASE("price_network: of lines, gathers node by node cost what their operations cost") {
  RandomValues random(17);
  for (const int ranks : {4, 8}) {
    const Prices prices(pairs_of_ranks(ranks, 1.0), {});
    Plan blank = blank_plan(config("lenet"), 8, ranks);
    blank.ranks_per_node = 2;
    check_least(random, blank, prices, 20);
  }
}

TEST_CASE("price_network: of branches, what a rank must do is at most what its operations cost") {
  RandomValues random(7);
  for (int ranks : is_slow_build ? std::vector{4} : std::vector{2, 4, 8}) {
    const Prices prices(ranks);
    const Plan blank = blank_plan(config("resnet50"), 8, ranks);
    const PricedNetwork priced = price_all(blank, prices.list());
    const std::vector<int> probes = probe_ranks(ranks);
    for (int trial = 0; trial < (is_slow_build ? 3 : 10); ++trial) {
      const Assignment assignment = random_assignment(random, priced.graph);
      const Plan plan = plan_of(blank, priced.choices, assignment);
      for (std::size_t i = 0; i < probes.size(); ++i) {
        const double least = total_cost(priced.least[i], assignment);
        const double actual = unavoidable_prices(plan, probes[i], prices.list());
        CHECK(least <= actual * (1 + 1e-9));
        CHECK(least >= actual * 0.98);
      }
    }
  }
}

// Prices may differ from costs for three reasons. Every layer may have another slowest rank: with
// stationary_w, the rank that receives most changes from mesh to mesh. The slowest rank may not be
// probed. Readers of one tensor are priced apart.
TEST_CASE("price_network: any choice costs about what its operations cost") {
  RandomValues random(9);
  std::vector<const char*> names{"lenet", "residual-16"};
  if (!is_slow_build) names.insert(names.end(), {"googlenet", "vgg16", "resnet50", "densenet121"});
  for (const char* name : names) {
    for (int ranks : {2, 4, 8}) {
      const Prices prices(ranks);
      const Plan blank = blank_plan(config(name), 8, ranks);
      const PricedNetwork priced = price_all(blank, prices.list());
      for (int trial = 0; trial < 5; ++trial) {
        CAPTURE(name);
        CAPTURE(ranks);
        const Assignment assignment = random_assignment(random, priced.graph);
        const double slowest =
            slowest_sum_of_prices(plan_of(blank, priced.choices, assignment), prices.list());
        CHECK(total_cost(priced.graph, assignment) >= slowest * 0.99);
        CHECK(total_cost(priced.graph, assignment) <= slowest * 1.03);
      }
    }
  }
}

TEST_CASE("price_network: random networks have a bound below every choice") {
  RandomValues random(11);
  for (const NamedPlan& named : random_plans(is_slow_build ? 8 : 20)) {
    CAPTURE(named.name);
    const Plan& sample = named.plan;
    const Plan blank = blank_plan(sample.network, sample.batch, sample.ranks);
    const Prices assumed(sample.ranks);
    check_bounds(random, blank, assumed.list());
    const Prices measured(pairs_of_ranks(sample.ranks, 0.3), random_profile(random, blank));
    check_bounds(random, blank, measured.list());
  }
}

TEST_CASE("price_network: what runs beside kernels is no part of the bound") {
  const Prices prices(4);
  Plan blank = blank_plan(config("mesh-1k"), 1, 4);
  const double blocking = step_lower_bound_of(blank, prices.list());
  blank.overlap = true;
  const PricedNetwork hiding = price_all(blank, prices.list());
  CHECK(step_lower_bound_of(blank, prices.list()) < blocking);
  for (const CostGraph& least : hiding.least) {
    for (const CostEdge& edge : least.edges) {
      CHECK(edge.costs == CostMatrix(edge.costs.rows(), edge.costs.columns()));
    }
  }
}

TEST_CASE("price_network: networks of many branches are solved exactly") {
  std::vector<const char*> names{"googlenet"};
  if (!is_slow_build) names.insert(names.end(), {"densenet121", "inception_v3", "resnet152"});
  for (const char* name : names) {
    CAPTURE(name);
    const PricedNetwork priced = price_all(blank_plan(config(name), 8, 4), Prices(4).list());
    const Elimination elimination = eliminate(priced.graph);
    REQUIRE(elimination.optimum);
    CHECK(total_cost(priced.graph, *elimination.optimum) == relative(elimination.bound, 1e-9));
    const double longest = total_cost(priced.graph, longest_path_first(priced.graph));
    CHECK(elimination.bound <= longest * (1 + 1e-12));
  }
}

TEST_CASE("price_network: the exact method finds the least of all assignments") {
  int tried = 0;
  for (const NamedPlan& named : random_plans(is_slow_build ? 80 : 40)) {
    const Plan& sample = named.plan;
    const Prices prices(sample.ranks);
    const Plan blank = blank_plan(sample.network, sample.batch, sample.ranks);
    const CostGraph graph = price_all(blank, prices.list()).graph;
    if (!few_enough_to_try_all(graph)) continue;
    CAPTURE(named.name);
    ++tried;
    const double least = total_cost(graph, brute_force(graph));
    const Elimination elimination = eliminate(graph);
    CHECK(elimination.bound == relative(least, 1e-9));
    REQUIRE(elimination.optimum);
    CHECK(total_cost(graph, *elimination.optimum) == relative(least, 1e-9));
    CHECK(total_cost(graph, longest_path_first(graph)) >= least * (1 - 1e-9));
    if (is_line(graph)) {
      CHECK(total_cost(graph, shortest_path(graph)) == relative(least, 1e-9));
    }
  }
  CHECK(tried > 50);
}

}  // namespace cnnplan::test
