// Checks the sums of a collective before it is timed.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/comm/communicator.hpp"
#include "executor/comm/device_collective.hpp"

namespace cnnplan {

// Runs a collective on numbers whose sums are known, and exact up to 24,000 ranks, and returns the
// number of wrong results on all ranks. It fills the values of `spec`, which are fp32, and calls
// `collective`, which runs `spec` and waits for the device. For an allgather, it fills this rank's
// shard with sums. For a reduce-scatter, it only looks at this rank's shard. This call is
// collective over `group` and blocks. All ranks get equal counts.
std::int64_t count_wrong(const Communicator& group,
                         const CollectiveSpec& spec,
                         const std::function<void()>& collective);

}  // namespace cnnplan
