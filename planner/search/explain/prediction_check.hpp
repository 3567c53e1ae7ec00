// Checks whether a prediction contradicts itself or its plan.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks the following of a plan's prediction, all of which needs no prices:
// - The gap follows from step and bound.
// - Operations are listed once: first the operations of rank 0's schedule with their part, layer
//   and level, then operations that other ranks may have. An empty list passes. Operations of plans
//   of schema /1 first get their parts from the lowering.
// - The critical times of operations add up to the step, or are all 0.
// - Partitions ascend from 1, and their steps take more than 0 s.
// - Margins are over the slowest ranks or over one of probe_ranks.
// - Changes of a runner-up name heads of search units.
// @throws InputError (pointer into plan.json) for a contradiction. @pre validate(plan) holds
void check_prediction(const Plan& plan, const std::string& file);

}  // namespace cnnplan
