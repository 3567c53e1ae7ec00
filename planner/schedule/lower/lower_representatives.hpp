// Lowers for the prices of the search only units that represent other units.
#pragma once

#include <span>
#include <vector>

#include "planner/schedule/representatives/unit_classes.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns one schedule of Detail::priced for each of `ranks`, in their order, with the operations
// of some units only: the representatives of the wanted units, and the units around them. A
// representative has the same kernels, collectives and parameters as in a whole lowering, and keeps
// as many bytes for backpropagation. Ids of operations lack the names of layers. No communication
// takes place.
// @pre `classes` are the classes of `units`; `wanted` holds the units of samples and losses, and
// all units where multigrid runs a chain
std::vector<Schedule> lower_representatives(const FusedUnits& units,
                                            const UnitClasses& classes,
                                            const IndexedVector<UnitIndex, bool>& wanted,
                                            std::span<const int> ranks);

}  // namespace cnnplan
