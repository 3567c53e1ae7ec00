// Makes a plan of a small network with predicted times that are easy to add up.
#pragma once

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns a plan of data, conv1, bn1, pool, fc and loss on 2 ranks with batch 4. Its operations
// take 1 to 32 ms.
Plan small_plan();

}  // namespace cnnplan
