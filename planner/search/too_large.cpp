// Layers by what they keep, batches by halving.
#include "planner/search/too_large.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "planner/predict/predict.hpp"

namespace cnnplan {
namespace {

std::string heaviest_layers(const Plan& plan) {
  constexpr std::size_t most = 3;
  const std::vector<std::int64_t> kept = kept_bytes(lower_for_prices(plan, std::array{0}).front());
  std::vector<std::size_t> layers(kept.size());
  std::iota(layers.begin(), layers.end(), std::size_t{0});
  std::stable_sort(layers.begin(), layers.end(), [&](std::size_t a, std::size_t b) {
    return kept[a] > kept[b];
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, layers.size()); ++i) {
    const Layer& layer = plan.network.layer(static_cast<LayerIndex>(layers[i]));
    text += (i == 0 ? "keeping most: " : ", ") + layer.name + ' ' +
            std::to_string(kept[layers[i]] >> 20) + " MiB";
  }
  return text;
}

// 0 where none fits.
std::int64_t batch_that_fits(Plan plan, const PriceList& prices) {
  const Platform& platform = prices.platform();
  while (plan.batch > 1) {
    plan.batch /= 2;
    const PricedPlan priced = lower_and_price(plan, prices);
    const std::int64_t bytes = most_memory(priced.schedules, platform).total_bytes();
    if (bytes <= platform.memory_bytes) return plan.batch;
  }
  return 0;
}

}  // namespace

std::string why_too_large(const Plan& plan, const PriceList& prices) {
  const std::int64_t batch = batch_that_fits(plan, prices);
  return heaviest_layers(plan) +
         (batch > 0 ? "; a batch of " + std::to_string(batch) + " fits" : "");
}

}  // namespace cnnplan
