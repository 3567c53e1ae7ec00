// Tests that the step with another split of one layer is that of a plan with this split.
#include "planner/search/explain/other_splits.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/search/solve.hpp"
#include "planner/summary/other_splits_text.hpp"
#include "planner/summary/reason_text.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

Plan solved(const char* network, std::int64_t batch, int ranks) {
  SolveRequest request{.network = read_network(network)};
  request.batch = batch;
  request.ranks = ranks;
  request.platform = default_platform(ranks);
  return solve(request);
}

double sum_of(const std::vector<PartTime>& parts) {
  double sum_s = 0.0;
  for (const PartTime& part : parts) sum_s += part.critical_s;
  return sum_s;
}

// Returns the prediction of the plan in which these layers alone have another split.
Prediction changed(Plan plan,
                   const std::vector<LayerIndex>& layers,
                   const std::string& split,
                   const PriceList& prices) {
  for (const LayerIndex layer : layers) {
    plan.layers[layer].set({.mesh = parse_split(split).mesh});
  }
  plan.layers[layers.front()].set(parse_split(split));
  return predict(plan, prices);
}

bool has(const OtherSplitsOfUnits& units, LayerIndex layer) {
  const auto is_in = [layer](const std::vector<LayerIndex>& layers) {
    return std::find(layers.begin(), layers.end(), layer) != layers.end();
  };
  return is_in(units.layers) || is_in(units.equal_layers);
}

}  // namespace

TEST_CASE("other_splits: numbers in the sentence are those of the changed plan") {
  const Plan plan = solved("configs/networks/lenet.json", 8, 4);
  const Platform platform = default_platform(plan.ranks);
  const KernelCosts kernels(Profile{}, platform);
  const PriceList prices(platform, kernels);
  const OtherSplits found = other_splits(plan, prices);
  CHECK(found.is_complete);
  CHECK(found.step_s == relative(plan.prediction.step_s));
  CHECK(sum_of(found.parts) == relative(found.step_s));
  int compared = 0;
  for (const OtherSplitsOfUnits& units : found.units) {
    const std::string text = to_text(found, units, plan);
    for (const OtherSplit& other : units.others) {
      CAPTURE(text);
      const Prediction expected = changed(plan, units.layers, other.split, prices);
      CHECK(other.step_s == relative(expected.step_s));
      CHECK(other.memory_bytes == expected.memory.total_bytes());
      CHECK(sum_of(other.parts) == relative(other.step_s));
      CHECK(text.find(ms(expected.step_s)) != std::string::npos);
      CHECK(other.split != to_text(plan.layers[units.layers.front()].split()));
      ++compared;
    }
  }
  CHECK(compared > 4);
  for (const LayerIndex layer : plan.network.layers().indices()) {
    CHECK(std::count_if(found.units.begin(), found.units.end(), [&](const auto& units) {
            return has(units, layer);
          }) == 1);
  }
}

TEST_CASE("other_splits: one layer alone has the sentence that it has among all") {
  const Plan plan = solved("configs/networks/residual-16.json", 8, 4);
  const Platform platform = default_platform(plan.ranks);
  const KernelCosts kernels(Profile{}, platform);
  const PriceList prices(platform, kernels);
  const OtherSplits all = other_splits(plan, prices);
  const auto repeated =
      std::find_if(all.units.begin(), all.units.end(), [](const OtherSplitsOfUnits& units) {
        return !units.equal_layers.empty() && !units.others.empty();
      });
  REQUIRE(repeated != all.units.end());
  const OtherSplits one = other_splits(plan, prices, repeated->equal_layers.back());
  REQUIRE(one.units.size() == 1);
  CHECK(to_text(one, one.units.front(), plan) == to_text(all, *repeated, plan));
}

TEST_CASE("other_splits: one rank has nothing to split") {
  const Plan plan = solved("configs/networks/lenet.json", 8, 1);
  const Platform platform = default_platform(1);
  const KernelCosts kernels(Profile{}, platform);
  const OtherSplits found = other_splits(plan, PriceList(platform, kernels));
  CHECK(found.units.empty());
  CHECK(missing_text(found) == "One rank has all layers whole.");
}

}  // namespace cnnplan::test
