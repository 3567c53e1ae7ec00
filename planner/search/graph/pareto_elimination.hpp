// Finds the fastest assignment within a limit on bytes, by elimination. Partial assignments are
// labels: pairs of seconds and bytes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Holds two costs of the same assignments.
struct LimitedGraph {
  CostGraph seconds;
  CostGraph bytes;  // with the units, candidates and edges of `seconds`; no cost is negative
  double limit_bytes = std::numeric_limits<double>::infinity();
};

// Holds the result of eliminate_within().
struct ParetoResult {
  std::optional<Assignment> best;  // within the limit; absent where none was found
  // True if no assignment within the limit is faster than `best`. It is false if there were too
  // many labels or pairs, or if only units with three or more neighbours remained.
  bool exact = true;
};

// Bounds the work of eliminate_within(), whose labels may become many.
struct LabelLimits {
  // Limits the labels of each candidate and of each pair of candidates. Less than 2 counts as 2.
  // Labels at about equal distances in bytes are kept. `best` is within the limit with few labels,
  // too, but need not be the fastest then.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  // Leaves out labels that are worse by more than this than another label of the candidate or pair
  // of candidates, in seconds + price_s * bytes. The best label remains if this is the distance
  // from a known assignment to the least of seconds + price_s * (bytes - limit_bytes) over all
  // assignments.
  double most_worse_s = std::numeric_limits<double>::infinity();
  double price_s = 0.0;
  // Limits the labels that are made in all. More would take longer than they are worth.
  std::size_t most_made = std::size_t{1} << 27;
};

// Finds the assignment of least seconds whose bytes are within the limit. It works as eliminate()
// does, but keeps all labels that no other label beats in both costs, instead of the least cost.
// @pre check() passes for both graphs
ParetoResult eliminate_within(const LimitedGraph& graph, const LabelLimits& labels = {});

}  // namespace cnnplan
