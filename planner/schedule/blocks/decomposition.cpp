// Computes the blocks and the exchanges of the units that are lowered.
#include "planner/schedule/blocks/decomposition.hpp"

#include <utility>

namespace cnnplan {

Decomposition::Decomposition(const Plan& plan) : FusedUnits(plan) {
  add(IndexedVector<UnitIndex, bool>(units().size(), true));
}

Decomposition::Decomposition(FusedUnits units, const IndexedVector<UnitIndex, bool>& wanted)
    : FusedUnits(std::move(units)) {
  add(wanted);
}

void Decomposition::add(const IndexedVector<UnitIndex, bool>& wanted) {
  add_blocks(layers_around(wanted));
  exchanges_.resize(units().size());
  for (const Unit& unit : units()) {
    if (wanted[index_of(unit)]) exchanges_[index_of(unit)] = exchanges_of(unit);
  }
}

// Marks the layers of these units, the layers that they read, and the readers of both. Losses are
// marked because labels are loaded with the samples. Where multigrid runs a chain, all layers are
// marked.
IndexedVector<LayerIndex, bool> Decomposition::layers_around(
    const IndexedVector<UnitIndex, bool>& wanted) const {
  const Network& network = plan().network;
  IndexedVector<LayerIndex, bool> found(network.layers().size(), !plan().multigrid.empty());
  for (const Unit& unit : units()) {
    if (!wanted[index_of(unit)]) continue;
    for (LayerIndex layer : layers_of(network, unit)) found[layer] = true;
    for (LayerIndex layer : unit.inputs) found[layer] = true;
  }
  const IndexedVector<LayerIndex, bool> own = found;
  for (const LayerIndex layer : network.layers().indices()) {
    if (is_loss(network.layer(layer).parameters)) found[layer] = true;
    if (!own[layer]) continue;
    for (LayerIndex reader : network.consumers_of(layer)) found[reader] = true;
  }
  return found;
}

void Decomposition::add_blocks(const IndexedVector<LayerIndex, bool>& layers) {
  const Network& network = plan().network;
  owned_.resize(layers.size());
  needed_.resize(layers.size());
  computed_.resize(layers.size());
  loads_needed_.resize(layers.size(), false);
  RankBoxes::Tables tables;
  for (const LayerIndex layer : network.layers().indices()) {
    if (!layers[layer]) continue;
    const RankBoxes& owned = owned_[layer].emplace(owned_blocks(plan(), layer).tabulated(tables));
    const ChannelAlgorithm algorithm = plan().layers[layer].channel_algorithm;
    for (std::size_t input = 0; input < network.inputs_of(layer).size(); ++input) {
      needed_[layer].push_back(
          needed_blocks(signature_of(network, layer, input, plan().batch), owned, algorithm)
              .tabulated(tables));
    }
    computed_[layer].emplace(computed_blocks(plan(), layer, owned).tabulated(tables));
  }
  for (const LayerIndex layer : network.layers().indices()) {
    if (!layers[layer] || !has_one_dense_reader(network, layer)) continue;
    loads_needed_[layer] = cnnplan::loads_needed(owned(layer), needed_by_reader(layer));
  }
}

std::vector<InputExchange> Decomposition::exchanges_of(const Unit& unit) const {
  const LayerTraits& reader = traits_of(plan().network.layer(unit.head).parameters);
  std::vector<InputExchange> exchanges;
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    const RankBoxes& have = owned(unit.inputs[input]);
    const RankBoxes& want = needed(unit, input);
    InputExchange& exchange = exchanges.emplace_back();
    if (exchanges_forward(reader, have, want)) exchange.forward = rule_of(have, want);
    if (input == 0) add_gather(unit, exchange);
    if (!exchanges_backward(reader, want, have)) continue;
    const std::optional<RankBoxes> sums = blocks_of_sums(reader, want, have);
    exchange.backward = rule_of(want, sums.value_or(have));
    if (sums) exchange.of_sums = rule_of(*sums, have);
  }
  return exchanges;
}

void Decomposition::add_gather(const Unit& unit, InputExchange& exchange) const {
  const std::optional<Dim> along = cut_dim(plan().layers[unit.head].gather);
  if (!along || exchange.forward == nullptr) return;
  const RankBoxes& have = owned(unit.inputs[0]);
  const RankBoxes& want = needed(unit, 0);
  const LayerTraits& reader = traits_of(plan().network.layer(unit.head).parameters);
  const int ranks_per_node = plan().ranks_per_node;
  if (!may_gather_by_node(reader, have)) return;
  const std::optional<RankBoxes> parts = want.divided_in_nodes(ranks_per_node, *along);
  if (!parts) return;
  exchange.to_parts = rule_of(have, *parts);
  exchange.of_parts = rule_of(*parts, want, ranks_per_node);
}

}  // namespace cnnplan
