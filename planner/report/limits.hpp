// Says what a step waits for, and what more ranks would gain.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Says what fills the critical path, largest share first, for example "backward filter 41.0 %,
// forward 37.0 %, halo 22.0 %". Shares below a hundredth are left out. Where multigrid runs chains,
// the words are "finest level" and "coarse levels" for chains, "other layers", and "messages" for
// all layers; "gradient reductions" and "updates" stay. The text is empty where the plan has no
// critical path.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
std::string limits_text(const Plan& plan);

// Says from how many ranks on multigrid is faster than the layers in order, and how fast it is with
// each number of partitions. An example is "faster than in order on 1 rank from 3 ranks on; by
// partitions, times as fast: 2: 0.83, 3: 1.24". The text is empty where partitioning.steps has
// fewer than two entries.
std::string break_even_text(const Partitioning& partitioning);

}  // namespace cnnplan
