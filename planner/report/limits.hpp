// What a step waits for, and what more ranks would gain.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Whether the layer belongs to a chain that multigrid runs.
bool is_by_multigrid(const Plan& plan, LayerIndex layer);

// "backward filter 41.0 %, forward 37.0 %, halo 22.0 %": what fills the critical path, most first,
// without what is below a hundredth. Where chains run by multigrid, "finest level" and "coarse
// levels" of these, "other layers", and "messages" of all layers. Empty where the plan does not
// say.
std::string limits_text(const Plan& plan);

// "faster than in order on 1 rank from 3 ranks on; by partitions, times as fast: 2: 0.83, 3: 1.24".
// Empty where the plan does not say.
std::string break_even_text(const Partitioning& partitioning);

}  // namespace cnnplan
