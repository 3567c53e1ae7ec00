// The fastest assignment within a limit on memory.
#pragma once

#include "planner/search/graph/pareto_elimination.hpp"

namespace cnnplan {

struct WithinLimit {
  std::optional<Assignment> best;  // absent where none is within the limit, or none was found
  double bound_s = 0.0;            // no assignment within the limit takes less
  bool exact = false;              // nothing within the limit is faster than `best`
  double least_bytes = 0.0;        // no assignment needs less
};

// Lagrange multipliers first, the best one found as by Handler and Zang (1980, "A dual algorithm
// for the constrained shortest path problem"): the least of seconds + price * (bytes - limit)
// bounds every assignment within the limit from below, for every price of a byte; the assignments
// found on the way bound it from above. Candidates that the two rule out are left out, and what
// remains goes to eliminate_within.
// @pre the graph can be eliminated (treewidth at most 2), else nothing but bounds is found
WithinLimit fastest_within(const LimitedGraph& graph);

}  // namespace cnnplan
