// Checks whether a prediction contradicts itself or its plan.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks what the plan alone can tell. The gap follows from step and bound. Operations are those of
// rank 0's schedule with their part, layer and level, then those that other ranks may have. The
// critical path takes the step. Partitions ascend from 1. Margins are of a sampled rank. Only
// layers that choose change with a runner-up. Plans of schema /1 get their parts from the lowering
// first.
// @throws InputError (pointer into plan.json) for what contradicts that @pre validate(plan) holds
void check_prediction(const Plan& plan, const std::string& file);

}  // namespace cnnplan
