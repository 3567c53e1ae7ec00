// Checks whether a prediction contradicts itself or its plan.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks the parts of a prediction in a plan file that follow from other parts or from the plan.
// No platform and no profile are needed:
// - The gap is step_s / bound_s - 1, and 0 where the step is shorter than the bound.
// - Operations are listed once: first those of rank 0's schedule with their part, layer and level,
//   then operations that only other ranks have. A plan may also list none. Operations of plans of
//   schema /1 first get their parts from the lowering.
// - The critical times of operations add up to the step, or all of them are 0.
// - The counts of partitions ascend from 1, and their steps take more than 0 s.
// - The rank of the margins is -1, which stands for the slowest ranks, or one of probe_ranks.
// - A runner-up changes only layers that choose their split, which are the heads of search units.
// @throws InputError (pointer into plan.json) for a contradiction. @pre validate(plan) holds
void check_prediction(const Plan& plan, const std::string& file);

}  // namespace cnnplan
