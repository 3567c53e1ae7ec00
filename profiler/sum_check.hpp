// Looks whether a collective computes what it should, before it is timed.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/comm/communicator.hpp"
#include "executor/comm/device_collective.hpp"

namespace cnnplan {

// Fills the values of `spec` (fp32) with numbers whose sums over the ranks are exact, of an
// allgather the own shard with sums, calls `collective` on them, and counts what is not right
// afterwards on all ranks: sums, of a reduce-scatter those of the own shard. Collective over
// `group`; the same count on every rank.
std::int64_t count_wrong(const Communicator& group,
                         const CollectiveSpec& spec,
                         const std::function<void()>& collective);

}  // namespace cnnplan
