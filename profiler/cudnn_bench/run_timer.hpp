// Repeats a kernel on sets of operands until its time is known.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/cudnn/cuda/cuda_device.hpp"
#include "planner/json/json_writer.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan::cudnn {

// Says how many sets of operands a kernel has. If all sets together are larger than the L2 cache, a
// run on the next set finds its operands in memory instead, as in a training step.
struct OperandSets {
  int count = 1;               // sets
  std::int64_t set_bytes = 0;  // of one set
  bool cold = false;           // all sets together take at least twice the L2 cache
};

// Returns how many sets a kernel gets. All together shall take `wanted_bytes`; negative: 4 times
// the L2 cache. Very small operands stay in the cache, as the number of sets has a limit.
OperandSets operand_sets(const KernelSpec& spec,
                         std::int64_t wanted_bytes,
                         std::int64_t l2_cache_bytes);

// Holds the times of a kernel.
struct TimedRuns {
  Statistics time;  // for one run; each sample is the mean of `runs_per_sample` runs
  int runs_per_sample = 1;
};

// Times run(set), which puts a kernel on one of `sets` sets of operands in the selected queue. It
// captures several calls as one graph, which takes about `sample_s`, and times the graph up to 7
// times, or until 0.1 s have passed. A run of more than 5 ms is a sample by itself, always on the
// first set. The first run is not timed. It blocks.
// @throws BackendError, DeviceLostError; as `run`
TimedRuns time_runs(CudaDevice& device,
                    int sets,
                    double sample_s,
                    const std::function<void(int set)>& run);

// Adds the times and the sets to a line of JSON: all keys from "operand_sets" to "max_s". "cold" is
// false where a sample uses only one of several sets.
void add_times(OrderedJson& line, const OperandSets& sets, const TimedRuns& runs);
// Returns amount / seconds, or 0 where no time was measured.
double per_second(double amount, double seconds);

}  // namespace cnnplan::cudnn
