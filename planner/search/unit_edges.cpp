// Edge by edge, a price for every pair of distinct splits, handed to every pair of candidates.
#include "planner/search/unit_edges.hpp"

#include <algorithm>
#include <utility>

#include "planner/search/edge_prices.hpp"

namespace cnnplan {
namespace {

std::vector<int> units_by_layer(const Plan& plan, const SplitChoices& choices) {
  std::vector<int> units(static_cast<std::size_t>(plan.network.layer_count()), 0);
  for (std::size_t unit = 0; unit < choices.units.size(); ++unit) {
    for (LayerIndex layer : choices.units[unit].unit.layers) {
      units[static_cast<std::size_t>(layer)] = static_cast<int>(unit);
    }
  }
  return units;
}

// What a unit copies of its own tensors, for every one of its splits.
void add_copies(
    EdgePrices& edge_prices, LayerIndex layer, std::size_t input, int unit, PricedNetwork& priced) {
  const auto index = static_cast<std::size_t>(unit);
  const std::vector<Split>& splits = priced.choices.units[index].splits;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const EdgePrice& price = edge_prices(layer, input, {splits[i]}, {splits[i]});
    priced.graph.units[index][i] += price.slowest(0, 0);
    for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
      priced.least[rank].units[index][i] += price.least[rank](0, 0);
    }
  }
}

std::vector<Split> distinct(std::vector<Split> splits) {
  std::sort(splits.begin(), splits.end());
  splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
  return splits;
}

// By candidate of a unit, the place of its split among the distinct ones.
std::vector<int> places(const UnitSplits& unit, const std::vector<Split>& splits) {
  std::vector<int> numbers;
  for (const Split& split : unit.splits) {
    numbers.push_back(
        static_cast<int>(std::lower_bound(splits.begin(), splits.end(), split) - splits.begin()));
  }
  return numbers;
}

// A tensor that is computed again is fetched again, too, instead of being kept as fetched.
void fetch_again(const UnitSplits& source,
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
  const UnitSplits& source = priced.choices.units[static_cast<std::size_t>(from)];
  const UnitSplits& reader = priced.choices.units[static_cast<std::size_t>(to)];
  const std::vector<Split> splits = distinct(source.splits);
  const std::vector<Split> reader_splits = distinct(reader.splits);
  const EdgePrice& price = edge_prices(reading.consumer, reading.input, splits, reader_splits);
  const std::vector<int> rows = places(source, splits);
  const std::vector<int> columns = places(reader, reader_splits);
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

}  // namespace

void add_edges(const Plan& plan,
               const PriceList& prices,
               const std::vector<double>& spare_s,
               PricedNetwork& priced) {
  const std::vector<int> units = units_by_layer(plan, priced.choices);
  const Plan uniform = all_on(plan, {.mesh = Mesh({{Axis::r, plan.ranks}})});
  const Decomposition decomposition(uniform);
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

}  // namespace cnnplan
