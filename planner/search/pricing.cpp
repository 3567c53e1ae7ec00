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
  for (const Schedule& schedule : lower(plan, sample_ranks(plan.ranks))) {
    std::vector<double> costs(slowest.size(), 0.0);
    for (const Operation& operation : schedule.operations) {
      if (std::holds_alternative<TransferOperation>(operation.body)) continue;
      costs[static_cast<std::size_t>(operation.layer)] += prices(schedule, operation).seconds;
    }
    for (std::size_t i = 0; i < costs.size(); ++i) slowest[i] = std::max(slowest[i], costs[i]);
  }
  return slowest;
}

// Prices of the transfers between a tensor and a layer that reads it. Tensors and readers of the
// same shapes share a matrix.
class EdgePrices {
 public:
  EdgePrices(const Plan& plan, const PriceList& prices) : plan_(plan), prices_(prices) {}

  const CostMatrix& operator()(LayerIndex source,
                               const std::vector<Mesh>& source_meshes,
                               LayerIndex consumer,
                               const std::vector<Mesh>& consumer_meshes) {
    const Key key{plan_.network.output_shape(source, plan_.batch),
                  plan_.network.output_shape(consumer, plan_.batch),
                  window_of(consumer),
                  source_meshes,
                  consumer_meshes,
                  needs_gradient(source)};
    const auto [entry, is_new] = known_.try_emplace(key);
    if (is_new) {
      entry->second = matrix(blocks(source, source_meshes),
                             inputs(consumer, blocks(consumer, consumer_meshes)),
                             needs_gradient(source));
    }
    return entry->second;
  }

 private:
  using Key = std::tuple<Shape, Shape, Window, std::vector<Mesh>, std::vector<Mesh>, bool>;

  Window window_of(LayerIndex layer) const {
    return has_window(plan_.network.layer(layer).parameters) ? plan_.network.window_of(layer)
                                                             : Window{};
  }
  bool needs_gradient(LayerIndex source) const {
    return !std::holds_alternative<Input>(plan_.network.layer(source).parameters);
  }
  // Output blocks of a layer, by mesh.
  std::vector<BlockOwnership> blocks(LayerIndex layer, const std::vector<Mesh>& meshes) const {
    const Shape shape = plan_.network.output_shape(layer, plan_.batch);
    std::vector<BlockOwnership> owned;
    for (const Mesh& mesh : meshes) owned.push_back(owned_blocks(Distribution(shape, mesh)));
    return owned;
  }
  // What the output blocks of a layer need of its input.
  std::vector<BlockOwnership> inputs(LayerIndex layer, std::vector<BlockOwnership> outputs) const {
    for (BlockOwnership& blocks : outputs) blocks = needed_blocks(plan_.network, layer, blocks);
    return outputs;
  }
  CostMatrix matrix(const std::vector<BlockOwnership>& owned,
                    const std::vector<BlockOwnership>& needed,
                    bool and_back) const {
    CostMatrix costs(static_cast<int>(owned.size()), static_cast<int>(needed.size()));
    for (std::size_t i = 0; i < owned.size(); ++i) {
      for (std::size_t j = 0; j < needed.size(); ++j) {
        costs(static_cast<int>(i), static_cast<int>(j)) = slowest_s(owned[i], needed[j], and_back);
      }
    }
    return costs;
  }
  double slowest_s(const BlockOwnership& owned, const BlockOwnership& needed, bool and_back) const {
    if (owned.boxes == needed.boxes) return 0.0;
    double slowest = 0.0;
    for (int rank : ranks_) {
      double seconds = transfer_s(owned, needed, rank, false);
      if (and_back) seconds += transfer_s(needed, owned, rank, true);
      slowest = std::max(slowest, seconds);
    }
    return slowest;
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

  const Plan& plan_;
  const PriceList& prices_;
  std::vector<int> ranks_ = sample_ranks(plan_.ranks);
  std::map<Key, CostMatrix> known_;
};

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
  const auto meshes = [&](int unit) -> const std::vector<Mesh>& {
    return priced.choices.units[static_cast<std::size_t>(unit)].meshes;
  };
  EdgePrices edge_prices(plan, prices);
  for (LayerIndex consumer = 0; consumer < plan.network.layer_count(); ++consumer) {
    for (LayerIndex source : plan.network.inputs_of(consumer)) {
      const int from = unit_of[static_cast<std::size_t>(source)];
      const int to = unit_of[static_cast<std::size_t>(consumer)];
      if (from == to) continue;
      const CostMatrix& costs = edge_prices(source, meshes(from), consumer, meshes(to));
      priced.graph.edges.push_back({.from = from, .to = to, .costs = costs});
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
