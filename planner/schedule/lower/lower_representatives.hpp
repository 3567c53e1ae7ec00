// A lowering for prices that leaves out what another unit stands for.
#pragma once

#include <span>
#include <vector>

#include "planner/schedule/representatives/unit_classes.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// What lower_for_prices gives, by rank, with the operations of the first units of all classes that
// have a unit that is wanted, and of some others. Those of the first have the same kernels,
// collectives and parameters as in a whole lowering, and keep as much. Names lack those of layers.
// @pre `classes` are of `units`; `wanted`, by unit, has those of samples and of losses, and
// all where multigrid runs a chain
std::vector<Schedule> lower_firsts(const FusedUnits& units,
                                   const UnitClasses& classes,
                                   const std::vector<bool>& wanted,
                                   std::span<const int> ranks);

}  // namespace cnnplan
