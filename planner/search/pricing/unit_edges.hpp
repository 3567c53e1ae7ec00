// What the transfers between units cost.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "planner/search/pricing/edge_prices.hpp"
#include "planner/search/pricing/priced_network.hpp"

namespace cnnplan {

// One edge for every tensor that a unit reads of another. Inside a unit, which has one mesh and a
// window or an upsampling in its first layer only, nothing is transferred but what a concat or
// a slice copies: that is added to the unit.
class UnitEdges {
 public:
  // Adds edges to `priced` that bound the prices of their pairs from below, as a new
  // EdgePrices::Edge does. Keeps references, but for `priced`. @pre the units have their costs
  UnitEdges(const FusedUnits& fused,
            const PriceList& prices,
            const std::vector<double>& spare_s,
            PricedNetwork& priced);

  // In `priced`, the same that was filled: prices for all pairs that `assignment` takes, and those
  // of some pairs of choices, as far as there are any and they have none; for each of these, also
  // for the `neighbours` pairs that look cheapest with either of its candidates. @returns how many
  // got one
  std::size_t price(const Assignment& assignment,
                    const std::vector<ChoicePair>& choices,
                    std::size_t neighbours,
                    PricedNetwork& priced);
  // For all pairs.
  void price_all(PricedNetwork& priced);

 private:
  // What costs the same wherever it is read.
  struct Kind {
    EdgePrices::Edge* edge = nullptr;
    std::vector<int> rows;  // of `edge`, by candidate of the unit that has the tensor
    std::vector<int> columns;
    // By candidate of that unit, whether it computes the tensor again. Empty: nowhere.
    std::vector<bool> again;
    bool backwards = false;  // read by a unit of a lower number
    auto operator<=>(const Kind&) const = default;
  };
  // A tensor read by another unit.
  struct Reading {
    int from = 0;  // unit
    int to = 0;
    std::size_t kind = 0;
  };
  // The costs of a kind in the graphs of a priced network.
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
  // Where it stands in `kinds_`.
  std::size_t number_of(const Kind& kind);
  static Costs costs_of(const Kind& kind);
  // Gives all readings of these kinds their costs.
  void fill(const std::vector<bool>& kinds, PricedNetwork& priced) const;
  std::size_t fill_priced(std::vector<EdgePrices::Pair> pairs, PricedNetwork& priced);
  // With these candidates.
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
