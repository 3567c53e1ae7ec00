// Writes a platform in the format that SimGrid reads.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "planner/platform/platform.hpp"

namespace cnnplan {

// Returns the text of a platform file. It has hosts rank-0, rank-1, ... of host_flops_per_s, and
// for each level the links of its ports. A port has one link up and one down. Where the level's
// duplex factor is above 1, both directions also cross a third link. As many ranks share a port as
// share a link of the level. A message between two ranks crosses only the links of the level that
// connects them, as in the model. Only `routes`, pairs of sender and receiver, are written. A rank
// is connected with itself by a link that takes no time.
std::string platform_xml(const Platform& platform,
                         int ranks,
                         const std::set<std::pair<int, int>>& routes);

// Returns the name of a rank's host: "rank-0".
std::string host_name(int rank);

}  // namespace cnnplan
