// What a rank spends by itself on communication: adding, copying, launching; and what it can hide.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "profiler/links_fit.hpp"
#include "profiler/repetition_timer.hpp"

namespace cnnplan {

// A compute loop and a large exchange, alone and at once.
struct OverlapTimes {
  double compute_s = 0.0;
  double exchange_s = 0.0;
  double both_s = 0.0;
};

// Part of the shorter time that is hidden, in [0, 1]. 0 where nothing was exchanged.
double overlap_efficiency(const OverlapTimes& times);

struct LocalCosts {
  std::vector<LinkSample> adds;    // bytes that were received and added
  std::vector<LinkSample> copies;  // bytes of strided blocks, as halos are packed
  OverlapTimes overlap;
  double launch_s = 0.0;  // one operation without work
};

// Collective over `world`: all ranks are busy at once. No message is of more than `most_bytes`.
LocalCosts measure_local_costs(const Communicator& world,
                               Device& device,
                               const RepetitionOptions& options,
                               std::int64_t most_bytes);

}  // namespace cnnplan
