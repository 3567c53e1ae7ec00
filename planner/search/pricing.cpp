// Unit costs from one lowering per mesh, edge costs from transfer lists, both shared where equal.
#include "planner/search/pricing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "planner/cost/links.hpp"
#include "planner/schedule/exchange.hpp"
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
                  needs_gradient(source),
                  is_dense(source)};
    const auto [entry, is_new] = known_.try_emplace(key);
    if (is_new) {
      entry->second = matrix(blocks(source, source_meshes),
                             inputs(consumer, blocks(consumer, consumer_meshes)),
                             source);
    }
    return entry->second;
  }

 private:
  using Key = std::tuple<Shape, Shape, Window, std::vector<Mesh>, std::vector<Mesh>, bool, bool>;

  Window window_of(LayerIndex layer) const {
    return has_window(plan_.network.layer(layer).parameters) ? plan_.network.window_of(layer)
                                                             : Window{};
  }
  // Whether the kernels that make a tensor write and read dense blocks only.
  bool is_dense(LayerIndex source) const {
    return has_window(plan_.network.layer(source).parameters);
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
                    LayerIndex source) const {
    CostMatrix costs(static_cast<int>(owned.size()), static_cast<int>(needed.size()));
    for (std::size_t i = 0; i < owned.size(); ++i) {
      for (std::size_t j = 0; j < needed.size(); ++j) {
        costs(static_cast<int>(i), static_cast<int>(j)) = slowest_s(owned[i], needed[j], source);
      }
    }
    return costs;
  }
  double slowest_s(const BlockOwnership& owned,
                   const BlockOwnership& needed,
                   LayerIndex source) const {
    const bool same_boxes = owned.boxes == needed.boxes;
    const bool back = needs_gradient(source) && !(same_boxes && owned.blocks == needed.blocks);
    double slowest = 0.0;
    for (int rank : ranks_) {
      const double seconds = (same_boxes ? 0.0 : forward_s(owned, needed, is_dense(source), rank)) +
                             (back ? backward_s(owned, needed, is_dense(source), rank) : 0.0);
      slowest = std::max(slowest, seconds);
    }
    return slowest;
  }
  // The only reader of the tensor, whose halo it is stored with if its producer allows that.
  double forward_s(const BlockOwnership& owned,
                   const BlockOwnership& needed,
                   bool dense,
                   int rank) const {
    const Box& own = owned.boxes[static_cast<std::size_t>(rank)];
    const Box& want = needed.boxes[static_cast<std::size_t>(rank)];
    const Box& storage = !dense && !is_empty(own) && contains(want, own) ? want : own;
    const Exchange exchange = exchange_forward(owned, needed, storage, rank);
    return transfer_s(exchange, storage, exchange.in_place ? storage : want, rank);
  }
  double backward_s(const BlockOwnership& owned,
                    const BlockOwnership& needed,
                    bool dense,
                    int rank) const {
    const Box& own = owned.boxes[static_cast<std::size_t>(rank)];
    const Box& have = needed.boxes[static_cast<std::size_t>(rank)];
    const Exchange exchange = exchange_backward(needed, owned, {.dense = dense}, rank);
    return transfer_s(exchange, have, exchange.in_place ? have : own, rank);
  }
  double transfer_s(const Exchange& exchange, const Box& from, const Box& to, int rank) const {
    const TransferTraits traits{.element_bytes = bytes_per_element(plan_.precision),
                                .source_box = from,
                                .destination_box = to,
                                .accumulate = exchange.accumulate,
                                .zero_first = exchange.zero_first};
    return transfer_time(prices_.platform(), exchange.list, rank, traits).total_s();
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
