// One lowering per mesh, all layers on it.
#include "planner/search/mesh_costs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "planner/model/parallel.hpp"
#include "planner/search/sample_ranks.hpp"

namespace cnnplan {
namespace {

Plan on_mesh(const Plan& plan, const Mesh& mesh) {
  Plan uniform = all_on(plan, mesh);
  uniform.bucket_bytes = 1;  // every unit's gradients apart, so that they can be told apart
  return uniform;
}

bool is_update(const Operation& operation) {
  const auto* kernel = std::get_if<KernelOperation>(&operation.body);
  return kernel != nullptr && kernel->spec.phase == KernelPhase::update;
}

// What every rank must do itself, one after the other, under any plan with this mesh.
bool is_unavoidable(const Operation& operation) {
  return !is_update(operation) && operation.stream != Stream::reduce;
}

void raise(const std::vector<std::int64_t>& bytes, LayerCosts& most) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    most[i] = std::max(most[i], static_cast<double>(bytes[i]));
  }
}

// Of what is not a transfer.
MeshCosts mesh_costs(const Plan& plan, const Mesh& mesh, const PriceList& prices) {
  const Plan uniform = on_mesh(plan, mesh);
  const std::vector<int> always = sample_ranks(plan.ranks);
  const LayerCosts zero(static_cast<std::size_t>(plan.network.layer_count()), 0.0);
  MeshCosts result{.slowest = zero, .kept_bytes = zero, .least = {}};
  for (const Schedule& schedule : lower(uniform, sample_ranks({&mesh}))) {
    raise(kept_bytes(schedule), result.kept_bytes);
    LayerCosts costs = zero;
    LayerCosts least = zero;
    for (const Operation& operation : schedule.operations) {
      if (std::holds_alternative<TransferOperation>(operation.body)) continue;
      const auto layer = static_cast<std::size_t>(operation.layer);
      const double seconds = prices(schedule, operation).seconds;
      costs[layer] += seconds;
      if (is_unavoidable(operation)) least[layer] += seconds;
    }
    for (std::size_t i = 0; i < costs.size(); ++i) {
      result.slowest[i] = std::max(result.slowest[i], costs[i]);
    }
    if (std::binary_search(always.begin(), always.end(), schedule.rank)) {
      result.least.push_back(std::move(least));
    }
  }
  return result;
}

}  // namespace

CostsByMesh costs_by_mesh(const Plan& plan, const MeshChoices& choices, const PriceList& prices) {
  CostsByMesh costs;
  for (const Mesh& mesh : all_meshes(choices)) costs[mesh];
  parallel_for(costs.size(), [&](std::size_t i) {
    auto& [mesh, cost] = *std::next(costs.begin(), static_cast<std::ptrdiff_t>(i));
    cost = mesh_costs(plan, mesh, prices);
  });
  return costs;
}

double updates_s(const Plan& plan, const PriceList& prices) {
  const Schedule schedule = lower(all_on(plan, Mesh({{Axis::r, plan.ranks}})), 0);
  double sum = 0.0;
  for (const Operation& operation : schedule.operations) {
    if (is_update(operation)) sum += prices(schedule, operation).seconds;
  }
  return sum;
}

}  // namespace cnnplan
