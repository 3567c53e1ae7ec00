// A search problem filled with prices.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

struct PricedNetwork {
  SplitChoices choices;
  // For the search. Units and edges in the order of the choices; seconds per step on the slowest of
  // a few ranks, gradients of every unit reduced alone.
  CostGraph graph;
  // The same units and edges, with what the rank that keeps most of the sampled ones keeps:
  // parameters and, for backpropagation, activations, halos and copies. Bytes.
  CostGraph kept_bytes;
  // The same for each of sample_ranks(ranks) alone, without updates, with the least that gradients
  // add to reductions, and without what runs beside kernels: no plan takes less on that rank.
  std::vector<CostGraph> least;
  double updates_s = 0.0;  // of all parameters, at least

  // The graph that adds these operations up. @throws InputError where the rank is none of
  // sample_ranks(ranks)
  const CostGraph& graph_of(const OperationSum& sum, int ranks) const;

  // Candidates that were left out of all this, because no plan that takes one is predicted a step
  // below the limit.
  std::int64_t outpriced = 0;
};

}  // namespace cnnplan
