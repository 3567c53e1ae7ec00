// Exact elimination under a limit on a second cost: labels of seconds and bytes.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Two prices of the same assignments.
struct LimitedGraph {
  CostGraph seconds;
  CostGraph bytes;  // the same units, candidates and edges, none negative
  double limit_bytes = std::numeric_limits<double>::infinity();
};

struct ParetoResult {
  std::optional<Assignment> best;  // within the limit; absent where none was found
  bool exact = true;  // false: too many labels or pairs, or units with three neighbours remained
};

struct LabelLimits {
  // Kept of each unit's and pair's labels, spread over their bytes: with fewer, `best` is within
  // the limit but need not be the fastest.
  std::size_t most = std::numeric_limits<std::size_t>::max();
  // Labels are left out that are worse by more than this than another one of the same unit or pair,
  // in seconds + price * bytes. The best remains where that is the distance from what is known to
  // be possible to the least of seconds + price * (bytes - limit) over all assignments.
  double most_worse_s = std::numeric_limits<double>::infinity();
  double price_s = 0.0;
  // Made in all; more take longer than they are worth.
  std::size_t most_made = std::size_t{1} << 27;
};

// The assignment of least seconds whose bytes are within the limit: eliminate(), with all labels in
// place of the least cost that no other label beats in both.
ParetoResult eliminate_within(const LimitedGraph& graph, const LabelLimits& labels = {});

}  // namespace cnnplan
