// Says which channels a local response norm sums, and which channels its gradient sums.
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Finds the channels in reach of one channel, from the first to the last, both inclusive. There are
// `count` channels in all.
struct ChannelsAround {
  std::int32_t before = 0;
  std::int32_t after = 0;
  std::int32_t count = 0;

  explicit ChannelsAround(const KernelSpec& spec)
      : before(static_cast<std::int32_t>(std::min(spec.local_size - 1, spec.out[Dim::c] * 2) / 2)),
        after(static_cast<std::int32_t>(std::min(spec.local_size, spec.out[Dim::c] * 2) / 2)),
        count(static_cast<std::int32_t>(spec.out[Dim::c])) {}

  CNNPLAN_HOST_DEVICE std::int32_t first(std::int32_t channel) const {
    return channel > before ? channel - before : 0;
  }
  CNNPLAN_HOST_DEVICE std::int32_t last(std::int32_t channel) const {
    return after < count - 1 - channel ? channel + after : count - 1;
  }
  // The next two functions give the channels that have `channel` in their reach.
  CNNPLAN_HOST_DEVICE std::int32_t first_reaching(std::int32_t channel) const {
    return channel > after ? channel - after : 0;
  }
  CNNPLAN_HOST_DEVICE std::int32_t last_reaching(std::int32_t channel) const {
    return before < count - 1 - channel ? channel + before : count - 1;
  }
};

}  // namespace cnnplan
