// Choices of meshes and plans made of them.
#include "planner/search/unit_meshes.hpp"

#include <algorithm>
#include <array>

#include "planner/search/candidates.hpp"

namespace cnnplan {
namespace {

constexpr std::array search_axes{Axis::n, Axis::d, Axis::h, Axis::w};

int index_or_first(const std::vector<Mesh>& meshes, const Mesh& mesh) {
  const auto found = std::find(meshes.begin(), meshes.end(), mesh);
  return found == meshes.end() ? 0 : static_cast<int>(found - meshes.begin());
}

// Every rank computes everything: nothing is gained but that no gradients are reduced, which is
// what layers with many parameters and little to compute spend most of their time on.
void add_replicated(std::vector<Mesh>& meshes, int ranks) {
  const Mesh replicated({{Axis::r, ranks}});
  if (std::find(meshes.begin(), meshes.end(), replicated) == meshes.end()) {
    meshes.push_back(replicated);
  }
}

}  // namespace

MeshChoices mesh_choices(const Plan& plan) {
  MeshChoices choices;
  for (const SearchUnit& unit : search_units(plan.network)) {
    const Shape shape = plan.network.output_shape(unit.head(), plan.batch);
    MeshCandidates candidates = enumerate_meshes(shape, plan.ranks, search_axes);
    choices.pruned += candidates.pruned;
    add_replicated(candidates.meshes, plan.ranks);
    choices.units.push_back({.unit = unit, .meshes = std::move(candidates.meshes)});
  }
  return choices;
}

bool recomputes_cheaply(const Network& network, LayerIndex layer) {
  if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) return false;
  const auto& consumers = network.consumers_of(layer);
  return std::none_of(consumers.begin(), consumers.end(), [&](LayerIndex consumer) {
    return std::holds_alternative<Add>(network.layer(consumer).parameters);
  });
}

Plan recomputed(Plan plan) {
  for (LayerIndex layer = 0; layer < plan.network.layer_count(); ++layer) {
    if (!recomputes_cheaply(plan.network, layer)) continue;
    plan.layers[static_cast<std::size_t>(layer)].recompute = true;
  }
  return plan;
}

MeshChoices mesh_choices_with_recompute(const Plan& plan) {
  MeshChoices choices = mesh_choices(plan);
  for (UnitMeshes& unit : choices.units) {
    const auto& layers = unit.unit.layers;
    const bool can = std::any_of(layers.begin(), layers.end(), [&](LayerIndex layer) {
      return recomputes_cheaply(plan.network, layer);
    });
    if (!can) continue;
    const std::size_t kept = unit.meshes.size();
    unit.meshes.reserve(2 * kept);
    for (std::size_t i = 0; i < kept; ++i) unit.meshes.push_back(unit.meshes[i]);
    unit.recompute.assign(2 * kept, false);
    std::fill(
        unit.recompute.begin() + static_cast<std::ptrdiff_t>(kept), unit.recompute.end(), true);
  }
  return choices;
}

Plan all_on(const Plan& blank, const Mesh& mesh) {
  Plan plan = blank;
  for (LayerPlan& layer : plan.layers) layer.mesh = mesh;
  return plan;
}

Plan plan_of(const Plan& blank, const MeshChoices& choices, const std::vector<int>& assignment) {
  Plan plan = blank;
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    const auto choice = static_cast<std::size_t>(assignment[unit]);
    for (LayerIndex layer : choices.units[unit].unit.layers) {
      LayerPlan& layer_plan = plan.layers[static_cast<std::size_t>(layer)];
      layer_plan.mesh = choices.units[unit].meshes[choice];
      if (!choices.units[unit].recomputes(choice)) continue;
      layer_plan.recompute = recomputes_cheaply(plan.network, layer);
    }
  }
  return plan;
}

std::vector<int> mostly_on(const MeshChoices& choices, const Mesh& mesh) {
  std::vector<int> assignment;
  for (const UnitMeshes& unit : choices.units) {
    assignment.push_back(index_or_first(unit.meshes, mesh));
  }
  return assignment;
}

Plan mostly_on(const Plan& blank, const MeshChoices& choices, const Mesh& mesh) {
  const auto admits = [&mesh](const UnitMeshes& unit) {
    return std::find(unit.meshes.begin(), unit.meshes.end(), mesh) != unit.meshes.end();
  };
  if (std::none_of(choices.units.begin(), choices.units.end(), admits)) return all_on(blank, mesh);
  return plan_of(blank, choices, mostly_on(choices, mesh));
}

std::vector<Mesh> all_meshes(const MeshChoices& choices) {
  std::vector<Mesh> meshes;
  for (const UnitMeshes& unit : choices.units) {
    for (const Mesh& mesh : unit.meshes) {
      if (std::find(meshes.begin(), meshes.end(), mesh) == meshes.end()) meshes.push_back(mesh);
    }
  }
  return meshes;
}

std::vector<Plan> covering_plans(const Plan& blank) {
  const MeshChoices choices = mesh_choices(blank);
  std::vector<Plan> plans;
  for (const Mesh& mesh : all_meshes(choices)) plans.push_back(mostly_on(blank, choices, mesh));
  return plans;
}

}  // namespace cnnplan
