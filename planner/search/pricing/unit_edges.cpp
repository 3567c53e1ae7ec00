// Prices every pair of distinct splits once, and hands the price to every pair of candidates.
#include "planner/search/pricing/unit_edges.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cnnplan {
namespace {

IndexedVector<LayerIndex, int> units_by_layer(const Plan& plan, const SplitChoices& choices) {
  IndexedVector<LayerIndex, int> units(plan.network.layer_count(), 0);
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    for (LayerIndex layer : choices.units[unit].unit.layers) {
      units[layer] = static_cast<int>(unit);
    }
  }
  return units;
}

std::vector<Split> distinct(std::vector<Split> splits) {
  std::sort(splits.begin(), splits.end());
  splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
  return splits;
}

// Returns by candidate of a unit the place of its split among the distinct ones.
std::vector<int> places(const UnitSplits& unit, const std::vector<Split>& splits) {
  std::vector<int> numbers;
  for (const Split& split : unit.splits) {
    numbers.push_back(
        static_cast<int>(std::lower_bound(splits.begin(), splits.end(), split) - splits.begin()));
  }
  return numbers;
}

// A tensor that is computed again is fetched again, too. The fetched blocks are not kept then.
void fetch_again(const std::vector<bool>& is_again,
                 const CostMatrix& again,
                 CostMatrix& seconds,
                 CostMatrix& kept_bytes) {
  for (int i = 0; i < seconds.rows(); ++i) {
    if (!is_again[i]) continue;
    for (int j = 0; j < seconds.columns(); ++j) {
      seconds(i, j) += again(i, j);
      kept_bytes(i, j) = 0.0;
    }
  }
}

}  // namespace

UnitEdges::UnitEdges(const FusedUnits& fused,
                     const PriceList& prices,
                     const std::vector<double>& spare_s,
                     PricedNetwork& priced)
    : fused_(fused), edge_prices_(fused, prices, spare_s), by_unit_(priced.choices.units.size()) {
  const Network& network = fused.plan().network;
  const IndexedVector<LayerIndex, int> units = units_by_layer(fused.plan(), priced.choices);
  for (const LayerIndex consumer : network.layers().indices()) {
    const auto& inputs = network.inputs_of(consumer);
    const bool copies = copies_inputs(network.layer(consumer).parameters);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const int from = units[inputs[input]];
      const int to = units[consumer];
      if (from == to && copies) add_copies(consumer, input, to, priced);
      if (from != to) add_reading(consumer, input, {from, to}, priced);
    }
  }
  priced.graph.edges.resize(readings_.size());
  priced.kept_bytes.edges.resize(readings_.size());
  for (CostGraph& least : priced.least) least.edges.resize(readings_.size());
  fill(std::vector<bool>(kinds_.size(), true), priced);
}

// Adds the copies to the costs of every split of the unit.
void UnitEdges::add_copies(LayerIndex layer, std::size_t input, int unit, PricedNetwork& priced) {
  const std::vector<Split>& splits = priced.choices.units[unit].splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    EdgePrices::Edge& edge = edge_prices_(layer, input, {splits[i]}, {splits[i]});
    edge_prices_.price({{.edge = &edge, .row = 0, .column = 0}});
    priced.graph.units[unit][i] += edge.price().slowest(0, 0);
    for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
      priced.least[rank].units[unit][i] += edge.price().least[rank](0, 0);
    }
  }
}

void UnitEdges::add_reading(LayerIndex consumer,
                            std::size_t input,
                            const std::pair<int, int>& units,
                            const PricedNetwork& priced) {
  const auto [from, to] = units;
  const int index = static_cast<int>(readings_.size());
  by_unit_[from].push_back(index);
  by_unit_[to].push_back(index);
  readings_.push_back(
      {.from = from, .to = to, .kind = number_of(kind_of(consumer, input, units, priced))});
}

UnitEdges::Kind UnitEdges::kind_of(LayerIndex consumer,
                                   std::size_t input,
                                   const std::pair<int, int>& units,
                                   const PricedNetwork& priced) {
  const auto [from, to] = units;
  const Network& network = fused_.plan().network;
  const LayerIndex writing = fused_.unit_of(network.inputs_of(consumer)[input]).head;
  const UnitSplits& writer = priced.choices.units[from];
  const UnitSplits& reader = priced.choices.units[to];
  const std::vector<Split> splits = distinct(writer.splits);
  const std::vector<Split> reader_splits = distinct(reader.splits);
  return {.edge = &edge_prices_(consumer, input, splits, reader_splits),
          .rows = places(writer, splits),
          .columns = places(reader, reader_splits),
          .again = recomputes_cheaply(network, writing) ? writer.recompute : std::vector<bool>{},
          .backwards = from > to};
}

std::size_t UnitEdges::number_of(const Kind& kind) {
  const auto [entry, is_new] = numbers_.try_emplace(kind, kinds_.size());
  if (is_new) kinds_.push_back(kind);
  return entry->second;
}

UnitEdges::Costs UnitEdges::costs_of(const Kind& kind) {
  const EdgePrice& price = kind.edge->price();
  const auto all = [&](const CostMatrix& costs) {
    return selected(costs, kind.rows, kind.columns);
  };
  const auto ascending = [&](const CostMatrix& costs) {
    return SharedCosts(kind.backwards ? transposed(costs) : costs);
  };
  CostMatrix seconds = all(price.slowest);
  CostMatrix kept_bytes = all(price.kept_bytes);
  if (!kind.again.empty()) fetch_again(kind.again, all(price.again), seconds, kept_bytes);
  Costs costs{.seconds = ascending(seconds), .kept_bytes = ascending(kept_bytes), .least = {}};
  for (const CostMatrix& least : price.least) costs.least.push_back(ascending(all(least)));
  return costs;
}

void UnitEdges::fill(const std::vector<bool>& kinds, PricedNetwork& priced) const {
  std::vector<Costs> costs(kinds_.size());
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (kinds[i]) costs[i] = costs_of(kinds_[i]);
  }
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const auto& [from, to, kind] = readings_[i];
    if (!kinds[kind]) continue;
    const auto [low, high] = std::minmax(from, to);
    priced.graph.edges[i] = {low, high, costs[kind].seconds};
    priced.kept_bytes.edges[i] = {low, high, costs[kind].kept_bytes};
    for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
      priced.least[rank].edges[i] = {low, high, costs[kind].least[rank]};
    }
  }
}

EdgePrices::Pair UnitEdges::pair_of(const Reading& reading, int from, int to) const {
  const Kind& kind = kinds_[reading.kind];
  return {.edge = kind.edge, .row = kind.rows[from], .column = kind.columns[to]};
}

// Appends the pairs of all tensors that one of the units reads from the other.
void UnitEdges::append_pairs(const ChoicePair& choices,
                             std::vector<EdgePrices::Pair>& pairs) const {
  auto [first, second] = choices;
  if (by_unit_[first.unit].size() > by_unit_[second.unit].size()) {
    std::swap(first, second);
  }
  for (int number : by_unit_[first.unit]) {
    const Reading& reading = readings_[number];
    if (reading.from == first.unit && reading.to == second.unit) {
      pairs.push_back(pair_of(reading, first.candidate, second.candidate));
    } else if (reading.from == second.unit && reading.to == first.unit) {
      pairs.push_back(pair_of(reading, second.candidate, first.candidate));
    }
  }
}

// Appends the pairs with one of the two candidates that look cheapest, unless the pair has a price.
void UnitEdges::append_neighbours(const ChoicePair& choices,
                                  std::size_t most,
                                  const PricedNetwork& priced,
                                  std::vector<EdgePrices::Pair>& pairs) const {
  std::vector<EdgePrices::Pair> own;
  append_pairs(choices, own);
  if (std::all_of(own.begin(), own.end(), EdgePrices::has_price)) return;
  for (const auto& [fixed, other] :
       {std::pair(choices.first, choices.second), std::pair(choices.second, choices.first)}) {
    const std::vector<double>& costs = priced.graph.units[other.unit];
    std::vector<std::pair<double, std::vector<EdgePrices::Pair>>> found(costs.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
      auto& [sum_s, with] = found[i];
      append_pairs({fixed, {other.unit, static_cast<int>(i)}}, with);
      sum_s = costs[i];
      for (const auto& pair : with) sum_s += pair.edge->price().slowest(pair.row, pair.column);
    }
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
    std::partial_sort(found.begin(), end, found.end());
    for (auto next = found.begin(); next != end; ++next) {
      pairs.insert(pairs.end(), next->second.begin(), next->second.end());
    }
  }
}

std::size_t UnitEdges::price(const Assignment& assignment,
                             const std::vector<ChoicePair>& choices,
                             std::size_t neighbours,
                             PricedNetwork& priced) {
  std::vector<EdgePrices::Pair> pairs;
  for (const Reading& reading : readings_) {
    pairs.push_back(pair_of(reading, assignment[reading.from], assignment[reading.to]));
  }
  for (const ChoicePair& both : choices) append_pairs(both, pairs);
  if (neighbours > 0) {
    for (const ChoicePair& both : choices) append_neighbours(both, neighbours, priced, pairs);
  }
  return fill_priced(std::move(pairs), priced);
}

void UnitEdges::price_all(PricedNetwork& priced) {
  std::vector<EdgePrices::Pair> pairs;
  for (const Kind& kind : kinds_) {
    for (int row = 0; row < kind.edge->rows(); ++row) {
      for (int column = 0; column < kind.edge->columns(); ++column) {
        pairs.push_back({.edge = kind.edge, .row = row, .column = column});
      }
    }
  }
  fill_priced(std::move(pairs), priced);
}

// Fills the edges that got prices again.
std::size_t UnitEdges::fill_priced(std::vector<EdgePrices::Pair> pairs, PricedNetwork& priced) {
  const std::vector<EdgePrices::Pair> found = edge_prices_.price(std::move(pairs));
  std::set<const EdgePrices::Edge*> edges;
  for (const EdgePrices::Pair& pair : found) edges.insert(pair.edge);
  std::vector<bool> kinds;
  for (const Kind& kind : kinds_) kinds.push_back(edges.contains(kind.edge));
  fill(kinds, priced);
  return found.size();
}

}  // namespace cnnplan
