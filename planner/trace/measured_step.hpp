// Shows the steps that a run traced: what each rank did when, and for whom it waited.
#pragma once

#include <span>
#include <vector>

#include "planner/run/run.hpp"
#include "planner/trace/traced_step.hpp"

namespace cnnplan {

// Returns the traced steps in order, each with the chosen ranks. An operation waits from its begin
// until the last of its partners has begun it, chosen or not. Partners are the ranks of a
// collective, or those with which a transfer exchanges messages.
// @pre `run` has a trace and as many ranks as `plan`; validate(plan) holds; `ranks` are its ranks
// @throws Error (bad_input) if the trace has other operations than the plan
std::vector<std::vector<TracedRank>> measured_steps(const Plan& plan,
                                                    const RunReport& run,
                                                    std::span<const int> ranks);

}  // namespace cnnplan
