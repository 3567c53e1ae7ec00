// Joins layers of equal settings, and gives each layer its settings again.
#include "planner/plan/rival_plan.hpp"

#include <utility>

namespace cnnplan {
namespace {

RivalLayers settings_of(LayerIndex index, const LayerPlan& layer) {
  return {.first = index,
          .split = layer.split(),
          .stage = layer.stage,
          .recompute = layer.recompute,
          .halo = layer.halo,
          .gather = layer.gather};
}

bool are_equal(RivalLayers a, const RivalLayers& b) {
  a.first = b.first;
  return a == b;
}

void apply(const RivalLayers& settings, LayerPlan& layer) {
  layer.set(settings.split);
  layer.stage = settings.stage;
  layer.recompute = settings.recompute;
  layer.halo = settings.halo;
  layer.gather = settings.gather;
}

}  // namespace

RivalSettings settings_of(const Plan& rival) {
  RivalSettings settings{.multigrid = rival.multigrid,
                         .gradient_allreduce = rival.gradient_allreduce,
                         .small_gradient_allreduces = rival.small_gradient_allreduces,
                         .statistics_allreduce = rival.statistics_allreduce,
                         .ranks_per_node = rival.ranks_per_node};
  for (const LayerIndex i : rival.layers.indices()) {
    const RivalLayers own = settings_of(i, rival.layers[i]);
    const bool is_new = settings.layers.empty() || !are_equal(own, settings.layers.back());
    if (is_new) settings.layers.push_back(own);
  }
  return settings;
}

std::optional<Plan> plan_of_rival(const Plan& plan, const Rival& rival) {
  if (!rival.settings) return std::nullopt;
  const RivalSettings& settings = *rival.settings;
  Plan made = plan;
  made.prediction = {};
  made.ranks = rival.ranks;
  made.multigrid = settings.multigrid;
  made.gradient_allreduce = settings.gradient_allreduce;
  made.small_gradient_allreduces = settings.small_gradient_allreduces;
  made.statistics_allreduce = settings.statistics_allreduce;
  made.ranks_per_node = settings.ranks_per_node;
  auto entry = settings.layers.begin();
  for (const LayerIndex i : made.layers.indices()) {
    const auto next = entry + 1;
    if (next != settings.layers.end() && next->first == i) entry = next;
    apply(*entry, made.layers[i]);
  }
  return made;
}

}  // namespace cnnplan
