// Estimates gains by the prices of the probed ranks, and decides in virtual time.
#include "planner/search/plans/halo_methods.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "planner/plan/plan_queries.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

// This number of plans is tried, because hidden halos may make another plan the fastest.
constexpr std::size_t most_tried = 8;

// Holds the prices of one rank in the forward pass of a layer.
struct ForwardPrices {
  double kernels_s = 0.0;
  double interior_s = 0.0;
  double halo_s = 0.0;
  int kernels = 0;
  bool estimated = false;  // at least one kernel is estimated
};

IndexedVector<LayerIndex, ForwardPrices> forward_prices(const Schedule& schedule,
                                                        const PriceList& prices) {
  IndexedVector<LayerIndex, ForwardPrices> found(schedule.outputs.size());
  for (const Operation& operation : schedule.operations) {
    if (operation.label.direction != Direction::forward) continue;
    ForwardPrices& own = found[operation.layer];
    const Price price = prices(schedule, operation);
    if (std::holds_alternative<TransferOperation>(operation.body)) own.halo_s += price.seconds;
    if (!std::holds_alternative<KernelOperation>(operation.body)) continue;
    own.kernels_s += price.seconds;
    if (operation.label.role == OutputRole::interior) own.interior_s += price.seconds;
    own.estimated = own.estimated || price.estimated;
    ++own.kernels;
  }
  return found;
}

Plan with_method(Plan plan, const std::vector<LayerIndex>& layers) {
  for (const LayerIndex layer : layers) {
    plan.layers[layer].halo = HaloMethod::interior_strips;
  }
  return plan;
}

std::vector<LayerIndex> layers_with_method(const Plan& plan) {
  std::vector<LayerIndex> layers;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    if (has_halo_method(plan.network.layer(layer).parameters) && !is_by_multigrid(plan, layer)) {
      layers.push_back(layer);
    }
  }
  return layers;
}

// Returns how many seconds a rank hides more than it pays. The gain is infinite where the rank runs
// no other kernels than before, and minus infinity where prices are doubtful.
double gain_s(const ForwardPrices& whole,
              const ForwardPrices& parts,
              double overlap,
              bool only_profiled) {
  if (parts.kernels == whole.kernels) return std::numeric_limits<double>::infinity();
  const double more_s = parts.kernels_s - whole.kernels_s;
  const bool is_doubtful = more_s < 0.0 || (only_profiled && parts.estimated);
  if (is_doubtful) return -std::numeric_limits<double>::infinity();
  return overlap * std::min(whole.halo_s, parts.interior_s) - more_s;
}

struct Gain {
  double seconds = 0.0;
  LayerIndex layer;
};

// Returns the layers that gain on all probed ranks that have parts, the largest gain first.
std::vector<Gain> gains(const Plan& plan, const PriceList& prices, bool only_profiled) {
  const std::vector<LayerIndex> layers = layers_with_method(plan);
  const std::vector<int> ranks = probe_ranks(plan.ranks);
  const auto whole = lower(plan, ranks, {.detail = Detail::priced});
  const auto parts = lower(with_method(plan, layers), ranks, {.detail = Detail::priced});
  const double overlap = overlap_of(plan, prices.platform());
  IndexedVector<LayerIndex, double> least(plan.layers.size(),
                                          std::numeric_limits<double>::infinity());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto of_whole = forward_prices(whole[rank], prices);
    const auto of_parts = forward_prices(parts[rank], prices);
    for (const LayerIndex layer : least.indices()) {
      least[layer] =
          std::min(least[layer], gain_s(of_whole[layer], of_parts[layer], overlap, only_profiled));
    }
  }
  std::vector<Gain> found;
  for (const LayerIndex layer : layers) {
    const double seconds = least[layer];
    if (seconds > 0.0 && seconds < std::numeric_limits<double>::infinity()) {
      found.push_back({.seconds = seconds, .layer = layer});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Gain& a, const Gain& b) {
    return a.seconds > b.seconds;
  });
  return found;
}

// True where a kernel of any rank is estimated, whether the rank is probed or not.
bool has_estimates(const Plan& plan, const PriceList& prices) {
  return !predict(plan, prices).estimated_kernels.empty();
}

// Cuts all of these layers, or as many of the first ones as make the step shorter.
void add_parts(const ScoredPlan& scored,
               std::vector<Gain> found,
               const PriceList& prices,
               bool only_profiled,
               Scores& scores) {
  for (; !found.empty(); found.resize(found.size() / 2)) {
    std::vector<LayerIndex> layers;
    for (const Gain& gain : found) layers.push_back(gain.layer);
    const double limit_s = std::min(scored.score.step_s, scores.least_step_s());
    Plan plan = with_method(scored.plan, layers);
    PlanOrigin origin = scored.origin;
    origin.interior_first = true;
    if (only_profiled && has_estimates(plan, prices)) continue;
    if (scores.add_below(limit_s, origin, std::move(plan))) return;
  }
}

}  // namespace

Plan exchanging_first(Plan plan) {
  for (LayerPlan& layer : plan.layers) layer.halo = HaloMethod::exchange_first;
  return plan;
}

void add_interior_strips(const PriceList& prices, bool only_profiled, Scores& scores) {
  for (const ScoredPlan& scored : scores.fastest_that_fit(most_tried)) {
    if (overlap_of(scored.plan, prices.platform()) <= 0.0) return;
    std::vector<Gain> found = gains(scored.plan, prices, only_profiled);
    double most_s = 0.0;
    for (const Gain& gain : found) most_s += gain.seconds;
    if (scored.score.step_s - most_s < scores.least_step_s()) {
      add_parts(scored, std::move(found), prices, only_profiled, scores);
    }
  }
}

}  // namespace cnnplan
