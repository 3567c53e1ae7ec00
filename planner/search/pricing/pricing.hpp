// Fills the search problem with prices of lowered operations.
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

// The cost of a unit on a mesh is the sum over its kernels, statistics and gradient reductions;
// that of an edge is the transfer forward and back (EdgePrices says how exactly). Both on the
// slowest of a few ranks of that mesh or pair of meshes (sample_ranks). Pairs of candidates are
// many, and few of them are in any plan worth finding: they are bounded from below first, and
// priced where a search asks.
class NetworkPricing {
 public:
  // `plan` gives network, ranks, batch and options; its meshes do not matter. A candidate is left
  // out where a rank's own work in it, and the least that all other units give that rank to do,
  // take longer than `limit_s`: the step of a plan that is known. Keeps a reference to `prices`.
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

  // No pair costs less than its entries say.
  const PricedNetwork& priced() const { return priced_; }
  // True for a pair's entries after it was among these: all that `assignment` takes, and those of
  // some pairs of choices, of which units without an edge have none. For each of these that had
  // none, the `neighbours` pairs that look cheapest with either of its candidates get their prices,
  // too, as far as they have none. @returns how many got one
  std::size_t price(const Assignment& assignment,
                    const std::vector<ChoicePair>& choices = {},
                    std::size_t neighbours = 0);
  // Every pair has its price then.
  const PricedNetwork& price_all();

 private:
  Plan uniform_;
  FusedUnits fused_;
  PricedNetwork priced_;
  std::optional<UnitEdges> edges_;
};

// All pairs priced.
PricedNetwork price_network(const Plan& plan,
                            const SplitChoices& choices,
                            const PriceList& prices,
                            double limit_s = std::numeric_limits<double>::infinity());

}  // namespace cnnplan
