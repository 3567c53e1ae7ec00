// Looks whether an allreduce sums right, before it is timed.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Fills `values` (fp32, of the device) with numbers whose sums over the ranks are exact, calls
// `allreduce` on them, and counts the sums of all ranks that are not right. Collective over
// `group`; the same count on every rank.
std::int64_t count_wrong_sums(const Communicator& group,
                              Device& device,
                              void* values,
                              std::int64_t elements,
                              const std::function<void()>& allreduce);

}  // namespace cnnplan
