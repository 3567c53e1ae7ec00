// Repeats a kernel on sets of operands until its time is known.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/cudnn/cuda/cuda_device.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan::cudnn {

// A kernel has several sets of operands. If all sets together are larger than the L2 cache,
// a run on the next set finds its operands in memory instead, as in a training step.
struct OperandSets {
  int count = 1;
  std::int64_t set_bytes = 0;
  bool cold = false;  // all sets together take at least twice the L2 cache
};

// Returns how many sets a kernel gets. All together shall take `wanted_bytes`; negative: 4 times
// the L2 cache. Very small operands stay in the cache, as the number of sets has a limit.
OperandSets operand_sets(const KernelSpec& spec,
                         std::int64_t wanted_bytes,
                         std::int64_t l2_cache_bytes);

struct TimedRuns {
  Statistics time;  // for one run; each sample is the mean of `runs_per_sample` runs
  int runs_per_sample = 1;
};

// Captures several calls of `run(set)`, which put work in the selected queue, as one graph, and
// times it several times. The first run is not timed. The graph shall take `sample_s`. It blocks.
// @throws BackendError, DeviceLostError; as `run`
TimedRuns time_runs(CudaDevice& device,
                    int sets,
                    double sample_s,
                    const std::function<void(int set)>& run);

// Adds the keys from "operand_sets" to "max_s". "cold" is false where a sample uses one set of
// several.
void add_times(OrderedJson& line, const OperandSets& sets, const TimedRuns& runs);
// Returns amount / seconds, or 0 where no time was measured.
double per_second(double amount, double seconds);

}  // namespace cnnplan::cudnn
