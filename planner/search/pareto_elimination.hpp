// Exact elimination under a limit on a second cost: labels of seconds and bytes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "planner/search/cost_graph.hpp"

namespace cnnplan {

// Two prices of the same assignments.
struct LimitedGraph {
  CostGraph seconds;
  CostGraph bytes;  // the same units, candidates and edges, none negative
  double limit_bytes = std::numeric_limits<double>::infinity();
};

struct ParetoResult {
  std::optional<Assignment> best;  // within the limit; absent where none was found
  bool exact = true;  // false: labels were dropped, or units with three neighbours remained
};

// The assignment of least seconds whose bytes are within the limit: eliminate(), with all labels in
// place of the least cost that no other label beats in both. Of each unit's and pair's labels at
// most `most_labels` are kept, spread over their bytes: with fewer, `best` is within the limit but
// need not be the fastest.
ParetoResult eliminate_within(const LimitedGraph& graph,
                              std::size_t most_labels = std::numeric_limits<std::size_t>::max());

}  // namespace cnnplan
