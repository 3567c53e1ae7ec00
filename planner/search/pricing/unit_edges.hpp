// Adds the costs of transfers between units to the cost graphs.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "planner/search/pricing/edge_prices.hpp"
#include "planner/search/pricing/priced_network.hpp"

namespace cnnplan {

// Makes one edge for every tensor that a unit reads from another unit. A unit has one mesh, and
// only its first layer may need a halo. Inside a unit, there are thus no transfers except the
// copies of concats and slices. Their costs are added to the unit.
class UnitEdges {
 public:
  // Adds edges to `priced` that bound the prices of their pairs from below, as a new
  // EdgePrices::Edge does. Keeps references to `fused` and `prices`.
  // @pre the units have their costs
  UnitEdges(const FusedUnits& fused,
            const PriceList& prices,
            const std::vector<double>& spare_s,
            PricedNetwork& priced);

  // Prices all pairs that `assignment` takes, and the pairs of some choices whose units share an
  // edge. For each pair that had no price yet, also prices the `neighbours` pairs that look
  // cheapest with either of its candidates. @returns how many pairs got a price
  // @pre `priced` is the network of the constructor
  std::size_t price(const Assignment& assignment,
                    const std::vector<ChoicePair>& choices,
                    std::size_t neighbours,
                    PricedNetwork& priced);
  // Prices every pair.
  void price_all(PricedNetwork& priced);

 private:
  // Describes readings that have equal costs.
  struct Kind {
    EdgePrices::Edge* edge = nullptr;
    std::vector<int> rows;  // of `edge`, by candidate of the unit that has the tensor
    std::vector<int> columns;
    // Says by candidate of this unit whether it computes the tensor again. Empty means never.
    std::vector<bool> again;
    bool backwards = false;  // a unit of a lower number reads the tensor
    auto operator<=>(const Kind&) const = default;
  };
  // Describes how a unit reads a tensor of another unit.
  struct Reading {
    int from = 0;  // unit
    int to = 0;
    std::size_t kind = 0;
  };
  // Holds the costs of a kind in the graphs of a priced network.
  struct Costs {
    SharedCosts seconds;
    SharedCosts kept_bytes;
    std::vector<SharedCosts> least;
  };

  void add_copies(LayerIndex layer, std::size_t input, int unit, PricedNetwork& priced);
  void add_reading(LayerIndex consumer,
                   std::size_t input,
                   const std::pair<int, int>& units,
                   const PricedNetwork& priced);
  Kind kind_of(LayerIndex consumer,
               std::size_t input,
               const std::pair<int, int>& units,
               const PricedNetwork& priced);
  // Returns the place of the kind in `kinds_`, and adds it where it is new.
  std::size_t number_of(const Kind& kind);
  static Costs costs_of(const Kind& kind);
  // Gives all readings of these kinds their costs.
  void fill(const std::vector<bool>& kinds, PricedNetwork& priced) const;
  std::size_t fill_priced(std::vector<EdgePrices::Pair> pairs, PricedNetwork& priced);
  // Returns the pair of these candidates.
  EdgePrices::Pair pair_of(const Reading& reading, int from, int to) const;
  void append_pairs(const ChoicePair& choices, std::vector<EdgePrices::Pair>& pairs) const;
  void append_neighbours(const ChoicePair& choices,
                         std::size_t most,
                         const PricedNetwork& priced,
                         std::vector<EdgePrices::Pair>& pairs) const;

  const FusedUnits& fused_;
  EdgePrices edge_prices_;
  std::vector<Kind> kinds_;
  std::map<Kind, std::size_t> numbers_;    // of kinds
  std::vector<Reading> readings_;          // in the order of the edges of the graphs
  std::vector<std::vector<int>> by_unit_;  // readings at every unit, in both directions
};

}  // namespace cnnplan
