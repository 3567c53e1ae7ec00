// A platform as SimGrid reads it.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "planner/platform/platform.hpp"

namespace cnnplan {

// Hosts rank-0, rank-1, ... of host_flops_per_s, and for each level the links of its ports: one up,
// one down, and where the level's duplex factor is above 1 a third that both directions cross. As
// many ranks share a port as share a link of the level. A message between two ranks crosses only
// the links of the level that connects them, as in the model. `routes`, from and to, are those that
// are written; a rank and itself are connected by a link that takes no time.
std::string platform_xml(const Platform& platform,
                         int ranks,
                         const std::set<std::pair<int, int>>& routes);

std::string host_name(int rank);

}  // namespace cnnplan
