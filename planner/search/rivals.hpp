// Compares a plan with data parallelism and with the plan that came second.
#pragma once

#include "planner/search/solve.hpp"

namespace cnnplan {

// Returns the plan of a solution with its rivals and draws, and with its reduced gradients.
// - Data parallelism on the most ranks that have a sample each, and on a half, a quarter and so on
//   of all ranks as long as that is faster and fits. With blocks of samples, ranks have equally
//   many. The fastest of these runs is kept, and the run on most ranks. Where a run does not fit,
//   and outputs may be computed again in backpropagation, they are.
// - The plan that came second, unless it is one of these runs.
// Plans with more than most_drawn_layers have no draws.
// @pre `solution` is a solution of `request`
Plan with_rivals(Solution solution, const SolveRequest& request);

// The largest number of layers times classes of ranks with which a plan gets draws. With more,
// draws would take longer than the search.
inline constexpr std::int64_t most_drawn_layers = 20'000;

}  // namespace cnnplan
