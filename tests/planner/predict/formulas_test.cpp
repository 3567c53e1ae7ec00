// Tests that the terms of a formula add up to the price of its operation.
#include "planner/predict/formulas.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Returns a platform with nodes of two ranks and no two equal figures. The ring was measured inside
// a node, the other allreduces on three ranks.
Platform two_levels() {
  Platform platform = default_platform(8);
  platform.levels = {{.name = "node",
                      .ranks_per_group = 2,
                      .segments = {{1000, 1e-6, 2e-9}, {1 << 30, 3e-6, 1e-9}},
                      .duplex_factor = 1.3,
                      .shared_by = 1,
                      .ring_segments = {{1 << 30, 4e-6, 5e-9}}},
                     {.name = "cluster",
                      .ranks_per_group = 8,
                      .segments = {{1 << 30, 7e-6, 6e-9}},
                      .shared_by = 2,
                      .exchange_segments = {{2000, 9e-6, 7e-9}, {1 << 30, 1e-5, 1.1e-8}}}};
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    if (algorithm == AllreduceAlgorithm::ring) continue;
    platform.allreduce.push_back(
        {.ranks = 3, .segments = {{1 << 30, 8e-6, 9e-9}}, .algorithm = algorithm});
  }
  platform.gamma_s_per_byte = 1.1e-9;
  platform.copy_s_per_byte = 1.2e-9;
  return platform;
}

double sum_of(const std::vector<FormulaTerm>& terms) {
  double sum_s = 0.0;
  for (const FormulaTerm& term : terms) sum_s += term.seconds();
  return sum_s;
}

// Returns times of every second kernel that the plan needs.
Profile half_profile(const Plan& plan) {
  Profile profile;
  std::set<KernelSpec> seen;
  for (const Operation& operation : lower(plan, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || !seen.insert(canonical(kernel->spec)).second) continue;
    if (seen.size() % 2 == 0) profile.kernels[canonical(kernel->spec)] = {.median_s = 1e-3};
  }
  return profile;
}

void check_sums(const Plan& plan, const Profile& profile, std::set<std::string>& figures) {
  const Platform platform = two_levels();
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  for (const Schedule& schedule : lower_all(plan)) {
    for (const Operation& operation : schedule.operations) {
      const Formula formula = formula_of(schedule, operation, prices);
      const Price price = prices(schedule, operation);
      CAPTURE(operation.id);
      CHECK(formula.seconds == price.seconds);
      CHECK(formula.estimated == price.estimated);
      if (price.seconds > 0.0) CHECK(sum_of(formula.terms) == relative(price.seconds));
      for (const FormulaTerm& term : formula.terms) figures.insert(term.figure);
    }
  }
}

}  // namespace

TEST_CASE("formula_of: the terms add up to the price, for every operation of any plan") {
  std::set<std::string> figures;
  // These are enough plans for every figure to be in a formula.
  std::vector<NamedPlan> plans = random_plans(is_slow_build ? 40 : 12);
  for (NamedPlan& plan : chain_plans(4)) plans.push_back(std::move(plan));
  for (const NamedPlan& named : plans) {
    CAPTURE(named.name);
    check_sums(named.plan, {}, figures);
    check_sums(named.plan, half_profile(named.plan), figures);
  }
  for (const char* figure : {"node.alpha_s",
                             "node.beta_s_per_byte",
                             "node.ring.alpha_s",
                             "cluster.beta_s_per_byte",
                             "cluster.exchange.beta_s_per_byte",
                             "gamma_s_per_byte",
                             "copy_s_per_byte",
                             "median_s",
                             "alone_s",
                             "overhead_s",
                             "flops_per_s",
                             "bytes_per_s",
                             ""}) {
    CAPTURE(figure);
    CHECK(figures.contains(figure));
  }
  CHECK(std::ranges::any_of(
      figures, [](const std::string& figure) { return figure.ends_with("_allreduce.alpha_s"); }));
}

TEST_CASE("formula_of: a ring counts its steps and what each sends") {
  const Platform platform = two_levels();
  const KernelCosts kernels;
  const PriceList prices(platform, kernels);
  const Operation operation{.id = "x",
                            .body = CollectiveOperation{.algorithm = AllreduceAlgorithm::ring,
                                                        .group = RankGroup(0, 2),
                                                        .element = ElementType::fp32,
                                                        .elements = 1000}};
  const Formula formula = formula_of({.ranks = 8}, operation, prices);
  CHECK(formula.what == "4000 B over 2 ranks, ring of 2 steps");
  CHECK(formula.terms ==
        std::vector<FormulaTerm>{
            {.figure = "node.ring.alpha_s", .value = 4e-6, .amount = 2},
            {.figure = "node.ring.beta_s_per_byte", .value = 5e-9, .amount = 4000, .unit = "B"}});
}

TEST_CASE("formula_of: reading and sending samples is hidden where the device has its own memory") {
  const Platform platform = two_levels();
  const Schedule schedule =
      lower(uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("n2")), 0);
  const auto what = [&](const KernelCosts& kernels) {
    const PriceList prices(platform, kernels);
    for (const Operation& operation : schedule.operations) {
      if (!std::holds_alternative<LoadOperation>(operation.body)) continue;
      return formula_of(schedule, operation, prices).what;
    }
    return std::string();
  };
  Profile of_gpu;
  of_gpu.fingerprint.discrete = true;
  Platform with_rates = platform;
  with_rates.kernels.emplace();
  CHECK(what(KernelCosts(Profile{}, platform)) == "samples");
  CHECK(what(KernelCosts(of_gpu, platform)) == "samples, read and sent during the step before");
  CHECK(what(KernelCosts(Profile{}, with_rates)) ==
        "samples, read and sent during the step before");
}

TEST_CASE("formulas: each operation of the layer once, on the rank where it takes longest") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("h4"));
  const Platform platform = two_levels();
  const KernelCosts kernels;
  const PriceList prices(platform, kernels);
  const std::vector<Formula> found = formulas(plan, "conv1", prices);
  const PricedPlan priced = lower_and_price(plan, prices);
  std::set<std::string> ids;
  for (const Formula& formula : found) {
    CHECK(ids.insert(formula.operation).second);
    double most_s = 0.0;
    for (const PricedSchedule& rank : priced.schedules) {
      for (const OperationIndex i : rank.prices.indices()) {
        const bool is_same = rank.schedule.operations[i].id == formula.operation;
        if (is_same) most_s = std::max(most_s, rank.prices[i].seconds);
      }
    }
    CHECK(formula.seconds == most_s);
  }
  CHECK(ids.contains("conv1/forward"));
  CHECK_FALSE(ids.contains("conv2/forward"));
}

}  // namespace cnnplan::test
