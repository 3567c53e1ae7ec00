// Checks the sums of a collective before it is timed.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/comm/communicator.hpp"
#include "executor/comm/device_collective.hpp"

namespace cnnplan {

// Fills the values of `spec` (fp32) with numbers whose sums over the ranks are exact; for an
// allgather, fills the own shard with sums. Then it calls `collective` and counts wrong sums on all
// ranks; for a reduce-scatter, only in the own shard. `collective` runs `spec` and waits for the
// device. This call is collective over `group` and blocks; all ranks get equal counts.
std::int64_t count_wrong(const Communicator& group,
                         const CollectiveSpec& spec,
                         const std::function<void()>& collective);

}  // namespace cnnplan
