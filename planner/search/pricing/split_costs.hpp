// What layers cost under a split, transfers between them left out.
#pragma once

#include <map>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan {

// By layer. Kernels, statistics, sums over channels, updates and the reduction of every unit's
// gradients alone.
using LayerCosts = std::vector<double>;

struct SplitCosts {
  LayerCosts slowest;             // seconds
  LayerCosts kept_bytes;          // of parameters, too, on the rank where they are most
  std::vector<LayerCosts> least;  // seconds of each of sample_ranks(ranks), as in PricedNetwork
};

using CostsBySplit = std::map<Split, SplitCosts>;

// Of every split that a unit may take.
CostsBySplit costs_by_split(const Plan& plan, const SplitChoices& choices, const PriceList& prices);
// Seconds of all updates, at least: every plan of a network updates the same layers together, of
// which a rank has the fewest parameters where channels are split most.
double updates_s(const Plan& plan, const SplitChoices& choices, const PriceList& prices);

}  // namespace cnnplan
