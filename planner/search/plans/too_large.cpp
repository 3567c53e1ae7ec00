// Says why a plan is too large: the layers that keep most, and by bisection a batch that fits.
#include "planner/search/plans/too_large.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

std::string heaviest_layers(const Plan& plan, DeviceKind device) {
  constexpr std::size_t most = 3;
  const IndexedVector<LayerIndex, std::int64_t> kept =
      kept_bytes(lower(plan, std::array{0}, {.detail = Detail::priced}).front(), device);
  std::vector<LayerIndex> layers(kept.size());
  std::iota(layers.begin(), layers.end(), LayerIndex(0));
  std::stable_sort(
      layers.begin(), layers.end(), [&](LayerIndex a, LayerIndex b) { return kept[a] > kept[b]; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, layers.size()); ++i) {
    const Layer& layer = plan.network.layer(layers[i]);
    text += (i == 0 ? "keeping most: " : ", ") + layer.name + ' ' + bytes_text(kept[layers[i]]);
  }
  return text;
}

bool plan_fits(const Plan& plan, const PriceList& prices) {
  return fits(work_of(plan, prices).memory.total_bytes(), prices.platform().memory_bytes);
}

bool fits_with(std::int64_t batch, Plan plan, const PriceList& prices) {
  plan.batch = batch;
  return plan_fits(plan, prices);
}

bool fits_in_shards(Plan plan, const PriceList& prices) {
  if (plan.sample_blocks > 1) return false;
  set_gradient_allreduce(plan, AllreduceAlgorithm::ring);
  plan.sharded_update = true;
  return plan_fits(plan, prices);
}

// Returns the largest batch below the plan's that fits, in whole blocks of the plan; 0 where none
// fits. More samples need more memory.
std::int64_t batch_that_fits(const Plan& plan, const PriceList& prices) {
  std::int64_t enough = 0;
  std::int64_t too_many = plan.batch / plan.sample_blocks;
  while (too_many - enough > 1) {
    const std::int64_t middle = enough + (too_many - enough) / 2;
    (fits_with(middle * plan.sample_blocks, plan, prices) ? enough : too_many) = middle;
  }
  return enough * plan.sample_blocks;
}

}  // namespace

std::string why_too_large(const Plan& plan, const PriceList& prices) {
  const std::int64_t batch = batch_that_fits(plan, prices);
  return heaviest_layers(plan, prices.kernels().device()) +
         (fits_in_shards(plan, prices) ? "; with --sharded-update it fits" : "") +
         (batch > 0 ? "; a batch of " + std::to_string(batch) + " fits" : "");
}

}  // namespace cnnplan
