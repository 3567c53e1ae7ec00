// Unit costs from one lowering per mesh, edge costs from transfer lists, both shared where equal.
#include "planner/search/pricing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "planner/cost/links.hpp"
#include "planner/schedule/ownership.hpp"

namespace cnnplan {
namespace {

std::vector<int> sample_ranks(int ranks) {
  const std::set<int> distinct{0, ranks / 2, ranks - 1};
  return {distinct.begin(), distinct.end()};
}

Plan on_mesh(const Plan& plan, const Mesh& mesh) {
  Plan uniform = plan;
  uniform.bucket_bytes = 1;  // every unit's gradients apart, so that they can be told apart
  for (LayerPlan& layer : uniform.layers) layer.mesh = mesh;
  return uniform;
}

// Seconds per layer of what is not a transfer, on the slowest of the sampled ranks.
std::vector<double> layer_costs(const Plan& plan, const PriceList& prices) {
  std::vector<double> slowest(static_cast<std::size_t>(plan.network.layer_count()), 0.0);
  for (int rank : sample_ranks(plan.ranks)) {
    std::vector<double> costs(slowest.size(), 0.0);
    const Schedule schedule = lower(plan, rank);
    for (const Operation& operation : schedule.operations) {
      if (std::holds_alternative<TransferOperation>(operation.body)) continue;
      costs[static_cast<std::size_t>(operation.layer)] += prices(schedule, operation).seconds;
    }
    for (std::size_t i = 0; i < costs.size(); ++i) slowest[i] = std::max(slowest[i], costs[i]);
  }
  return slowest;
}

// Prices of the transfers between a tensor and a layer that reads it.
class EdgePrices {
 public:
  EdgePrices(const Plan& plan, const PriceList& prices) : plan_(plan), prices_(prices) {}

  double operator()(LayerIndex source,
                    const Mesh& source_mesh,
                    LayerIndex consumer,
                    const Mesh& consumer_mesh) {
    const Key key{plan_.network.output_shape(source, plan_.batch),
                  plan_.network.output_shape(consumer, plan_.batch),
                  window_of(consumer),
                  source_mesh,
                  consumer_mesh,
                  needs_gradient(source)};
    const auto [entry, is_new] = known_.try_emplace(key, 0.0);
    if (!is_new) return entry->second;
    plan_.layers[static_cast<std::size_t>(source)].mesh = source_mesh;
    plan_.layers[static_cast<std::size_t>(consumer)].mesh = consumer_mesh;
    const BlockOwnership owned = owned_blocks(plan_, source);
    const BlockOwnership needed = needed_blocks(plan_, consumer);
    if (owned.boxes == needed.boxes) return 0.0;
    double slowest = 0.0;
    for (int rank : sample_ranks(plan_.ranks)) {
      double seconds = transfer_s(owned, needed, rank, false);
      if (needs_gradient(source)) seconds += transfer_s(needed, owned, rank, true);
      slowest = std::max(slowest, seconds);
    }
    return entry->second = slowest;
  }

 private:
  using Key = std::tuple<Shape, Shape, Window, Mesh, Mesh, bool>;

  Window window_of(LayerIndex layer) const {
    return has_window(plan_.network.layer(layer).parameters) ? plan_.network.window_of(layer)
                                                             : Window{};
  }
  bool needs_gradient(LayerIndex source) const {
    return !std::holds_alternative<Input>(plan_.network.layer(source).parameters);
  }
  // As the lowering does it: the own part of a halo stays in place, that of a shuffle is copied.
  double transfer_s(const BlockOwnership& from,
                    const BlockOwnership& to,
                    int rank,
                    bool accumulate) const {
    const auto self = static_cast<std::size_t>(rank);
    TransferList list = transfer_list(from, to, rank);
    if (contains(from.boxes[self], to.boxes[self]) || contains(to.boxes[self], from.boxes[self])) {
      const auto is_own = [rank](const Piece& piece) { return piece.peer == rank; };
      std::erase_if(list.sends, is_own);
      std::erase_if(list.receives, is_own);
    }
    const TransferTraits traits{.element_bytes = bytes_per_element(plan_.precision),
                                .source_box = from.boxes[self],
                                .destination_box = to.boxes[self],
                                .accumulate = accumulate};
    return transfer_time(prices_.platform(), list, rank, traits).total_s();
  }

  Plan plan_;
  const PriceList& prices_;
  std::map<Key, double> known_;
};

CostEdge edge_between(const PricedNetwork& priced,
                      int from,
                      int to,
                      LayerIndex source,
                      LayerIndex consumer,
                      EdgePrices& prices) {
  const auto& rows = priced.choices.units[static_cast<std::size_t>(from)].meshes;
  const auto& columns = priced.choices.units[static_cast<std::size_t>(to)].meshes;
  CostEdge edge{
      .from = from,
      .to = to,
      .costs = CostMatrix(static_cast<int>(rows.size()), static_cast<int>(columns.size()))};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      edge.costs(static_cast<int>(i), static_cast<int>(j)) =
          prices(source, rows[i], consumer, columns[j]);
    }
  }
  return edge;
}

void add_unit_costs(const Plan& plan, const PriceList& prices, PricedNetwork& priced) {
  std::map<Mesh, std::vector<double>> costs_by_mesh;
  for (const UnitMeshes& choice : priced.choices.units) {
    std::vector<double> costs;
    for (const Mesh& mesh : choice.meshes) {
      const auto [entry, is_new] = costs_by_mesh.try_emplace(mesh);
      if (is_new) entry->second = layer_costs(on_mesh(plan, mesh), prices);
      double total = 0.0;
      for (LayerIndex layer : choice.unit.layers) {
        total += entry->second[static_cast<std::size_t>(layer)];
      }
      costs.push_back(total);
    }
    priced.graph.units.push_back(std::move(costs));
  }
}

// Halos inside a unit (it has one mesh) go to the unit; everything else is an edge.
void add_edges(const Plan& plan, const PriceList& prices, PricedNetwork& priced) {
  std::vector<int> unit_of(static_cast<std::size_t>(plan.network.layer_count()), 0);
  for (std::size_t unit = 0; unit < priced.choices.units.size(); ++unit) {
    for (LayerIndex layer : priced.choices.units[unit].unit.layers) {
      unit_of[static_cast<std::size_t>(layer)] = static_cast<int>(unit);
    }
  }
  EdgePrices edge_prices(plan, prices);
  for (LayerIndex consumer = 0; consumer < plan.network.layer_count(); ++consumer) {
    for (LayerIndex source : plan.network.inputs_of(consumer)) {
      const int from = unit_of[static_cast<std::size_t>(source)];
      const int to = unit_of[static_cast<std::size_t>(consumer)];
      if (from == to) continue;
      priced.graph.edges.push_back(edge_between(priced, from, to, source, consumer, edge_prices));
    }
  }
}

}  // namespace

PricedNetwork price_network(const Plan& plan, const PriceList& prices) {
  PricedNetwork priced{.choices = mesh_choices(plan), .graph = {}};
  add_unit_costs(plan, prices, priced);
  add_edges(plan, prices, priced);
  return priced;
}

}  // namespace cnnplan
