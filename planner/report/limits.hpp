// What a step waits for, and what more ranks would gain.
#pragma once

#include <string>

#include "planner/model/plan.hpp"

namespace cnnplan {

// "backward filter 41 %, forward 37 %, allreduce 22 %": what fills the critical path, most first,
// without what is below a hundredth. Of chains by multigrid the finest level and coarse ones
// instead, and all that is sent as messages. Empty where the plan does not say.
std::string limits_text(const Plan& plan);

// "from 3 ranks on; by partitions, times as fast as in order on 1 rank: 2: 0.83, 3: 1.24". Empty
// where the plan does not say.
std::string break_even_text(const Partitioning& partitioning);

}  // namespace cnnplan
