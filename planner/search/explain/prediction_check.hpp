// What a prediction says of itself and of its plan.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// As far as a plan alone can tell: the gap follows from step and bound, operations are those of
// the schedule of rank 0, then those that other ranks may have, what is on the critical path takes
// the step, partitions ascend from 1, margins are of a rank that sums are of, and what would change
// with a runner-up are layers that choose.
// @throws InputError (pointer into plan.json) for what contradicts that @pre validate(plan) holds
void check_prediction(const Plan& plan, const std::string& file);

}  // namespace cnnplan
