// Measures what communication costs a rank itself (adding, copying, launching) and how much of it
// computation hides.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "profiler/links_fit.hpp"
#include "profiler/repetition_timer.hpp"

namespace cnnplan {

// Holds the times of a compute loop and a large exchange, alone and at once. On a GPU, copies
// inside its memory take the place of the loop.
struct OverlapTimes {
  double compute_s = 0.0;   // the loop alone
  double exchange_s = 0.0;  // the exchange alone
  double both_s = 0.0;      // both at once
};

// Returns which part of the shorter of both times is hidden when both run at once, in [0, 1]. It is
// 0 if nothing was exchanged.
double overlap_efficiency(const OverlapTimes& times);

// Holds the measured costs of one rank. Other ranks measured at the same time.
struct LocalCosts {
  std::vector<LinkSample> adds;    // by the bytes that were received and added
  std::vector<LinkSample> copies;  // by the bytes of strided blocks, as halos are packed
  OverlapTimes overlap;
  double launch_s = 0.0;  // time of one operation without work
};

// Limits the exchanges of OverlapTimes: the bytes of each, and about the seconds of all together.
struct OverlapLimits {
  std::int64_t most_bytes = 0;
  double most_s = 0.0;
};
// Returns the bytes of the exchange that work is to hide: as many as the limits allow, since a long
// exchange is timed best, and at most 16 MiB. But it is at least 64 KiB, unless most_bytes is less.
// `exchange_s` returns the seconds of an exchange of some bytes.
std::int64_t overlapped_bytes(const OverlapLimits& limits,
                              const std::function<double(std::int64_t bytes)>& exchange_s);

// Returns the costs of this rank. All ranks measure at once, except that only ranks 0 and 1 measure
// the overlap. Other ranks, and a single rank, have OverlapTimes of 0. This call is collective over
// `world` and blocks. @throws as Device::allocate()
LocalCosts measure_local_costs(const Communicator& world,
                               Device& device,
                               const RepetitionOptions& options,
                               const OverlapLimits& limits);

}  // namespace cnnplan
