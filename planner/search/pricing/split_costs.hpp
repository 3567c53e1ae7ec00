// Says what layers cost under a split, without the transfers between them.
#pragma once

#include <map>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan {

// Holds costs of each layer: of kernels, statistics, sums over channels and updates, and of the
// reduction of every unit's gradients alone.
using LayerCosts = IndexedVector<LayerIndex, double>;

struct SplitCosts {
  LayerCosts slowest;             // seconds
  LayerCosts kept_bytes;          // parameters included, on the rank that keeps most
  std::vector<LayerCosts> least;  // seconds of each of probe_ranks(ranks), as in PricedNetwork
};

using CostsBySplit = std::map<Split, SplitCosts>;

// Returns the costs of every split that a unit may take.
CostsBySplit costs_by_split(const Plan& plan, const SplitChoices& choices, const PriceList& prices);
// Returns the least seconds of all updates. Every plan of a network updates the same layers
// together. A rank has the fewest parameters where channels are split most.
double updates_s(const Plan& plan, const SplitChoices& choices, const PriceList& prices);

}  // namespace cnnplan
