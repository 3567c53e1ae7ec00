// Unit costs from one lowering per mesh, edge costs from transfer lists, both shared where equal.
#include "planner/search/pricing.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "planner/model/parallel.hpp"
#include "planner/search/edge_prices.hpp"
#include "planner/search/elimination.hpp"
#include "planner/search/sample_ranks.hpp"

namespace cnnplan {
namespace {

// Of sums of seconds.
constexpr double rounding = 1e-9;

// Seconds by layer.
using LayerCosts = std::vector<double>;

struct MeshCosts {
  LayerCosts slowest;
  LayerCosts kept_bytes;          // on the rank where they are most
  std::vector<LayerCosts> least;  // by sampled rank
};

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

std::map<Mesh, MeshCosts> all_mesh_costs(const Plan& plan,
                                         const MeshChoices& choices,
                                         const PriceList& prices) {
  std::map<Mesh, MeshCosts> costs;
  for (const Mesh& mesh : all_meshes(choices)) costs[mesh];
  parallel_for(costs.size(), [&](std::size_t i) {
    auto& [mesh, cost] = *std::next(costs.begin(), static_cast<std::ptrdiff_t>(i));
    cost = mesh_costs(plan, mesh, prices);
  });
  return costs;
}

double sum_over(const SearchUnit& unit, const LayerCosts& costs) {
  double sum = 0.0;
  for (LayerIndex layer : unit.layers) sum += costs[static_cast<std::size_t>(layer)];
  return sum;
}

using CostsByMesh = std::map<Mesh, MeshCosts>;

// `kept` and `again`: of all meshes, with nothing and with everything computed again.
void add_unit_costs(const CostsByMesh& kept, const CostsByMesh& again, PricedNetwork& priced) {
  for (const UnitMeshes& choice : priced.choices.units) {
    priced.graph.units.emplace_back();
    priced.kept_bytes.units.emplace_back();
    for (CostGraph& least : priced.least) least.units.emplace_back();
    for (std::size_t i = 0; i < choice.meshes.size(); ++i) {
      const MeshCosts& costs = (choice.recomputes(i) ? again : kept).at(choice.meshes[i]);
      priced.graph.units.back().push_back(sum_over(choice.unit, costs.slowest));
      priced.kept_bytes.units.back().push_back(sum_over(choice.unit, costs.kept_bytes));
      for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
        priced.least[rank].units.back().push_back(sum_over(choice.unit, costs.least[rank]));
      }
    }
  }
}

std::vector<int> units_by_layer(const Plan& plan, const MeshChoices& choices) {
  std::vector<int> units(static_cast<std::size_t>(plan.network.layer_count()), 0);
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    for (LayerIndex layer : choices.units[unit].unit.layers) {
      units[static_cast<std::size_t>(layer)] = static_cast<int>(unit);
    }
  }
  return units;
}

// What a unit copies of its own tensors, for every one of its meshes.
void add_copies(
    EdgePrices& edge_prices, LayerIndex layer, std::size_t input, int unit, PricedNetwork& priced) {
  const auto index = static_cast<std::size_t>(unit);
  const std::vector<Mesh>& meshes = priced.choices.units[index].meshes;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const EdgePrice& price = edge_prices(layer, input, {meshes[i]}, {meshes[i]});
    priced.graph.units[index][i] += price.slowest(0, 0);
    for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
      priced.least[rank].units[index][i] += price.least[rank](0, 0);
    }
  }
}

std::vector<Mesh> distinct(std::vector<Mesh> meshes) {
  std::sort(meshes.begin(), meshes.end());
  meshes.erase(std::unique(meshes.begin(), meshes.end()), meshes.end());
  return meshes;
}

// By candidate of a unit, the place of its mesh among the distinct ones.
std::vector<int> places(const UnitMeshes& unit, const std::vector<Mesh>& meshes) {
  std::vector<int> numbers;
  for (const Mesh& mesh : unit.meshes) {
    numbers.push_back(
        static_cast<int>(std::lower_bound(meshes.begin(), meshes.end(), mesh) - meshes.begin()));
  }
  return numbers;
}

// A tensor that is computed again is fetched again, too, instead of being kept as fetched.
void fetch_again(const UnitMeshes& source,
                 const CostMatrix& again,
                 CostMatrix& seconds,
                 CostMatrix& kept_bytes) {
  for (int i = 0; i < seconds.rows(); ++i) {
    if (!source.recomputes(static_cast<std::size_t>(i))) continue;
    for (int j = 0; j < seconds.columns(); ++j) {
      seconds(i, j) += again(i, j);
      kept_bytes(i, j) = 0.0;
    }
  }
}

struct Reading {
  LayerIndex consumer = 0;
  std::size_t input = 0;
  bool may_recompute = false;  // of the tensor that is read
};

void add_edge(EdgePrices& edge_prices,
              const Reading& reading,
              const std::pair<int, int>& units,
              PricedNetwork& priced) {
  const auto [from, to] = units;
  const UnitMeshes& source = priced.choices.units[static_cast<std::size_t>(from)];
  const UnitMeshes& reader = priced.choices.units[static_cast<std::size_t>(to)];
  const std::vector<Mesh> meshes = distinct(source.meshes);
  const std::vector<Mesh> reader_meshes = distinct(reader.meshes);
  const EdgePrice& price = edge_prices(reading.consumer, reading.input, meshes, reader_meshes);
  const std::vector<int> rows = places(source, meshes);
  const std::vector<int> columns = places(reader, reader_meshes);
  CostMatrix seconds = selected(price.slowest, rows, columns);
  CostMatrix kept_bytes = selected(price.kept_bytes, rows, columns);
  if (reading.may_recompute) {
    fetch_again(source, selected(price.again, rows, columns), seconds, kept_bytes);
  }
  priced.graph.edges.push_back(edge_between(from, to, seconds));
  priced.kept_bytes.edges.push_back(edge_between(from, to, kept_bytes));
  for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
    priced.least[rank].edges.push_back(
        edge_between(from, to, selected(price.least[rank], rows, columns)));
  }
}

// One edge for every tensor that a unit reads of another. Inside a unit, which has one mesh and a
// window or an upsampling in its first layer only, nothing is transferred but what a concat copies.
void add_edges(const Plan& plan,
               const PriceList& prices,
               const std::vector<double>& spare_s,
               PricedNetwork& priced) {
  const std::vector<int> units = units_by_layer(plan, priced.choices);
  const Decomposition decomposition(plan);
  EdgePrices edge_prices(decomposition, prices, spare_s);
  for (LayerIndex consumer = 0; consumer < plan.network.layer_count(); ++consumer) {
    const auto& inputs = plan.network.inputs_of(consumer);
    const bool copies = copies_inputs(plan.network.layer(consumer).parameters);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const int from = units[static_cast<std::size_t>(inputs[input])];
      const int to = units[static_cast<std::size_t>(consumer)];
      if (from == to && copies) add_copies(edge_prices, consumer, input, to, priced);
      if (from == to) continue;
      const bool again =
          recomputes_cheaply(plan.network, decomposition.unit_of(inputs[input]).head);
      add_edge(edge_prices, {consumer, input, again}, {from, to}, priced);
    }
  }
}

// The same for every plan of a network: it updates bucket by bucket, whatever groups reduce them.
double updates_s(const Plan& plan, const PriceList& prices) {
  const Schedule schedule = lower(all_on(plan, Mesh({{Axis::r, plan.ranks}})), 0);
  double sum = 0.0;
  for (const Operation& operation : schedule.operations) {
    if (is_update(operation)) sum += prices(schedule, operation).seconds;
  }
  return sum;
}

double least_of(const std::vector<double>& costs) {
  return *std::min_element(costs.begin(), costs.end());
}

// By candidate of a unit, the least step of a plan that takes it: on the sampled rank where that is
// longest.
std::vector<double> least_steps(const PricedNetwork& priced,
                                const std::vector<double>& least_work_s,
                                std::size_t unit) {
  std::vector<double> steps(priced.graph.units[unit].size(), 0.0);
  for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
    const std::vector<double>& costs = priced.least[rank].units[unit];
    const double others_s = least_work_s[rank] - least_of(costs);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] = std::max(steps[i], others_s + costs[i]);
    }
  }
  return steps;
}

template <typename T>
void keep(std::vector<T>& values, const std::vector<bool>& kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    if (next != i) values[next] = std::move(values[i]);
    ++next;
  }
  values.resize(next);
}

// By sampled rank, what it must do itself in any plan.
std::vector<double> least_work(const PricedNetwork& priced) {
  std::vector<double> work_s;
  for (const CostGraph& least : priced.least) {
    double sum_s = priced.updates_s;
    for (const std::vector<double>& costs : least.units) sum_s += least_of(costs);
    work_s.push_back(sum_s);
  }
  return work_s;
}

void leave_out_above(double limit_s, PricedNetwork& priced) {
  const std::vector<double> least_work_s = least_work(priced);
  for (std::size_t unit = 0; unit < priced.graph.units.size(); ++unit) {
    std::vector<bool> kept;
    for (double step_s : least_steps(priced, least_work_s, unit)) {
      kept.push_back(step_s <= limit_s * (1 + rounding));
    }
    // Only where the known plan is on a mesh that the unit may not take.
    if (std::count(kept.begin(), kept.end(), true) == 0) continue;
    priced.outpriced += std::count(kept.begin(), kept.end(), false);
    keep(priced.choices.units[unit].meshes, kept);
    if (!priced.choices.units[unit].recompute.empty()) {
      keep(priced.choices.units[unit].recompute, kept);
    }
    keep(priced.graph.units[unit], kept);
    keep(priced.kept_bytes.units[unit], kept);
    for (CostGraph& least : priced.least) keep(least.units[unit], kept);
  }
}

struct UnitCostsByMesh {
  const CostsByMesh& kept;
  const CostsByMesh& again;
};

PricedNetwork price_choices(const Plan& plan,
                            const PriceList& prices,
                            const MeshChoices& choices,
                            const UnitCostsByMesh& costs,
                            double limit_s) {
  PricedNetwork priced{.choices = choices, .graph = {}, .kept_bytes = {}, .least = {}};
  priced.least.resize(sample_ranks(plan.ranks).size());
  priced.updates_s = updates_s(plan, prices);
  const Plan uniform = on_mesh(plan, Mesh({{Axis::r, plan.ranks}}));
  add_unit_costs(costs.kept, costs.again, priced);
  leave_out_above(limit_s, priced);
  std::vector<double> spare_s = least_work(priced);
  for (double& seconds : spare_s) seconds = limit_s * (1 + rounding) - seconds;
  add_edges(uniform, prices, spare_s, priced);
  return priced;
}

}  // namespace

PricedNetwork price_network(const Plan& plan, const PriceList& prices, double limit_s) {
  const MeshChoices choices = mesh_choices(plan);
  const CostsByMesh costs = all_mesh_costs(plan, choices, prices);
  return price_choices(plan, prices, choices, {costs, costs}, limit_s);
}

PricedNetwork price_network_with_recompute(const Plan& plan,
                                           const PriceList& prices,
                                           double limit_s) {
  const MeshChoices choices = mesh_choices_with_recompute(plan);
  const CostsByMesh kept = all_mesh_costs(plan, choices, prices);
  const CostsByMesh again = all_mesh_costs(recomputed(plan), choices, prices);
  return price_choices(plan, prices, choices, {kept, again}, limit_s);
}

double least_step_s(const PricedNetwork& priced) {
  double slowest = 0.0;
  for (const CostGraph& graph : priced.least) slowest = std::max(slowest, lower_bound(graph));
  return slowest + priced.updates_s;
}

}  // namespace cnnplan
