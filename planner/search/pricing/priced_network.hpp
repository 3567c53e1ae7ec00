// Holds a search problem that is filled with prices.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// A pair of candidates in an edge has its price, or bounds until NetworkPricing prices it: seconds
// that its price does not fall below, and 0 bytes. A pair that surely takes more than the limit of
// a step has 1e9 s in every graph of seconds. Such pairs are in no plan worth finding.
struct PricedNetwork {
  SplitChoices choices;
  // Holds the costs that a search minimises: seconds per step on the slowest of a few ranks, with
  // the gradients of every unit reduced alone. Units and edges are in the order of the choices.
  CostGraph graph;
  // Holds for the units and edges of `graph` the bytes on the probed rank that keeps most. It keeps
  // parameters and, for backpropagation, activations, halos and copies.
  CostGraph kept_bytes;
  // Holds for the units and edges of `graph` the least seconds on each of probe_ranks(ranks) alone.
  // Updates are left out, as are operations that run at the same time as kernels. Gradients count
  // with the least time that they add to reductions. No plan within the limit of a step takes less
  // on this rank.
  std::vector<CostGraph> least;
  double updates_s = 0.0;  // the least seconds of updating all parameters

  // Returns the graph that adds these operations up. @throws InputError where the rank is none of
  // probe_ranks(ranks)
  const CostGraph& graph_of(const OperationSum& sum, int ranks) const;

  // Counts the candidates that were left out, because every plan that takes one of them exceeds the
  // limit of a step.
  std::int64_t outpriced = 0;
};

}  // namespace cnnplan
