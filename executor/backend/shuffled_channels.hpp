// Says which channels a channel shuffle and its gradient read.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// A shuffle transposes a matrix of channels with `groups` rows and `group_size` columns. Its
// gradient is the shuffle with both numbers exchanged. The constructor does so if the phase of
// `spec` is not forward.
struct ShuffledChannels {
  std::uint32_t groups = 1;
  std::uint32_t group_size = 1;  // channels of a group

  explicit ShuffledChannels(const KernelSpec& spec)
      : groups(static_cast<std::uint32_t>(spec.groups)),
        group_size(static_cast<std::uint32_t>(spec.out[Dim::c] / spec.groups)) {
    if (spec.phase == KernelPhase::forward) return;
    const std::uint32_t rows = groups;
    groups = group_size;
    group_size = rows;
  }

  // Returns the channel of the block that is read (x or dy) which becomes `channel` of the result.
  CNNPLAN_HOST_DEVICE std::uint32_t source(std::uint32_t channel) const {
    return channel % groups * group_size + channel / groups;
  }
};

}  // namespace cnnplan
