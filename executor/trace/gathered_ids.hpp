// Tells rank 0 which operations each rank has.
#pragma once

#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the ids of the operations of each rank, in the order of its schedule, on rank 0. Returns
// nothing on other ranks. This call is collective and blocks.
std::vector<std::vector<std::string>> gather_ids(const Schedule& schedule,
                                                 const Communicator& world);

}  // namespace cnnplan
