// Repeats a kernel on sets of operands until its time is known.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/cudnn/cuda_device.hpp"
#include "planner/model/json_writer.hpp"
#include "planner/model/statistics.hpp"

namespace cnnplan::cudnn {

// How often the operands of a kernel exist. A run on the next set finds its operands in memory
// instead of the L2 cache, as in a training step, if all sets together are larger than the cache.
struct OperandSets {
  int count = 1;
  std::int64_t set_bytes = 0;
  bool cold = false;  // all sets together take at least twice the L2 cache
};

// `wanted_bytes`: what all sets together shall take; negative: 4 times the L2 cache. Very small
// operands stay in the cache, as the number of sets has a limit.
OperandSets operand_sets(const KernelSpec& spec,
                         std::int64_t wanted_bytes,
                         std::int64_t l2_cache_bytes);

struct TimedRuns {
  Statistics time;  // of one run; each sample is the mean of `runs_per_sample` runs
  int runs_per_sample = 1;
};

// Captures several calls of `run(set)` as one graph and times it several times. The first run is
// not timed. `sample_s`: how long the graph shall take. Blocks.
// @throws BackendError, InfeasibleError
TimedRuns time_runs(CudaDevice& device,
                    int sets,
                    double sample_s,
                    const std::function<void(int set)>& run);

// Adds "operand_sets" to "max_s".
void add_times(OrderedJson& line, const OperandSets& sets, const TimedRuns& runs);
// 0 where no time was measured.
double per_second(double amount, double seconds);

}  // namespace cnnplan::cudnn
