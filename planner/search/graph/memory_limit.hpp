// Finds the fastest assignment within a limit on memory.
#pragma once

#include "planner/search/graph/pareto_elimination.hpp"

namespace cnnplan {

// Holds what is known of the assignments whose bytes are within a limit.
struct WithinLimit {
  std::optional<Assignment> best;  // absent where none is within the limit, or none was found
  double bound_s = 0.0;      // no assignment within the limit takes less; 0 if none is within it
  bool exact = false;        // nothing within the limit is faster than `best`
  double least_bytes = 0.0;  // no assignment needs less
};

// Finds the best Lagrange multiplier as in Handler and Zang (1980, "A dual algorithm for the
// constrained shortest path problem"). For every price of a byte, the least of
// seconds + price * (bytes - limit) bounds every assignment within the limit from below. The
// assignments found on the way bound the optimum from above. Candidates that these bounds exclude
// are left out, and the remaining candidates go to eliminate_within.
// @pre the graph can be eliminated (treewidth at most 2), else nothing but bounds is found
WithinLimit fastest_within(const LimitedGraph& graph);

}  // namespace cnnplan
