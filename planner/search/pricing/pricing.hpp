// Fills the search problem with prices of lowered operations, as far as a search asks for them.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/predict/price.hpp"
#include "planner/schedule/blocks/fused_units.hpp"
#include "planner/search/pricing/priced_network.hpp"
#include "planner/search/pricing/unit_edges.hpp"

namespace cnnplan {

// The cost of a unit on a mesh is the sum over its kernels, statistics and gradient reductions. The
// cost of an edge is the price of its transfer forward and back (EdgePrices says how exact it is).
// Both are costs on the slowest of a few ranks of the mesh or pair of meshes (probe_ranks). Only a
// few of the many pairs of candidates are in a plan worth finding. All pairs are thus bounded from
// below first, and priced where a search asks.
class NetworkPricing {
 public:
  // `plan` gives network, ranks, batch and options; its meshes do not matter. `limit_s` is the step
  // of a known plan. A candidate is left out where a rank's own work in it, and the least work that
  // all other units give this rank, take longer. Keeps a reference to `prices`.
  // @pre `choices` is what split_choices or split_choices_with_recompute gives for `plan`
  NetworkPricing(const Plan& plan,
                 const SplitChoices& choices,
                 const PriceList& prices,
                 double limit_s = std::numeric_limits<double>::infinity());
  NetworkPricing(const NetworkPricing&) = delete;
  NetworkPricing& operator=(const NetworkPricing&) = delete;
  NetworkPricing(NetworkPricing&&) = delete;
  NetworkPricing& operator=(NetworkPricing&&) = delete;
  ~NetworkPricing() = default;

  // Holds prices and bounds, as PricedNetwork says. Candidates that exceed `limit_s` are left out
  // of its choices, except where a unit would have none.
  const PricedNetwork& priced() const { return priced_; }
  // Prices all pairs that `assignment` takes, and the pairs of some choices whose units share an
  // edge. For each pair that had no price yet, also prices the `neighbours` pairs that look
  // cheapest with either of its candidates. @returns how many pairs got a price
  std::size_t price(const Assignment& assignment,
                    const std::vector<ChoicePair>& choices = {},
                    std::size_t neighbours = 0);
  // Prices every pair.
  const PricedNetwork& price_all();

 private:
  Plan uniform_;
  FusedUnits fused_;
  PricedNetwork priced_;
  std::optional<UnitEdges> edges_;
};

// Returns the search problem with all pairs priced.
PricedNetwork price_network(const Plan& plan,
                            const SplitChoices& choices,
                            const PriceList& prices,
                            double limit_s = std::numeric_limits<double>::infinity());

}  // namespace cnnplan
