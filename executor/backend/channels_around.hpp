// Says which channels a local response norm sums, and which channels its gradient sums.
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// A local response norm sums the squares of some channels around each channel. These channels, with
// the channel itself, are in its reach.
struct ChannelsAround {
  std::int32_t before = 0;  // channels before it that are in its reach, if there are as many
  std::int32_t after = 0;   // channels after it that are in its reach, if there are as many
  std::int32_t count = 0;   // channels in all

  explicit ChannelsAround(const KernelSpec& spec)
      : before(static_cast<std::int32_t>(std::min(spec.local_size - 1, spec.out[Dim::c] * 2) / 2)),
        after(static_cast<std::int32_t>(std::min(spec.local_size, spec.out[Dim::c] * 2) / 2)),
        count(static_cast<std::int32_t>(spec.out[Dim::c])) {}

  // Return the first and the last channel in reach of a channel, both inclusive.
  CNNPLAN_HOST_DEVICE std::int32_t first(std::int32_t channel) const {
    return channel > before ? channel - before : 0;
  }
  CNNPLAN_HOST_DEVICE std::int32_t last(std::int32_t channel) const {
    return after < count - 1 - channel ? channel + after : count - 1;
  }
  // Return the first and the last channel that have `channel` in their reach, both inclusive. The
  // gradient sums over these channels.
  CNNPLAN_HOST_DEVICE std::int32_t first_reaching(std::int32_t channel) const {
    return channel > after ? channel - after : 0;
  }
  CNNPLAN_HOST_DEVICE std::int32_t last_reaching(std::int32_t channel) const {
    return before < count - 1 - channel ? channel + before : count - 1;
  }
};

}  // namespace cnnplan
