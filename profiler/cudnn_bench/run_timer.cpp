// Decides how many runs a graph has, and how many graphs are timed.
#include "profiler/cudnn_bench/run_timer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "executor/backend/cudnn/engine_stopwatch.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::int64_t cache_multiple = 4;
constexpr std::int64_t cold_multiple = 2;
constexpr std::int64_t most_sets = 32;
constexpr double least_runs = 4.0;
constexpr double most_runs = 128.0;
// Longer runs are samples of their own, on the first set alone.
constexpr double slow_s = 5e-3;
constexpr std::size_t most_samples = 7;
// No further sample begins after this much time.
constexpr double enough_s = 0.1;

// Every set is used equally often.
int runs_in_graph(double run_s, int sets, double sample_s) {
  if (run_s > slow_s) return 1;
  const double wanted = std::clamp(sample_s / std::max(run_s, 1e-9), least_runs, most_runs);
  return sets * static_cast<int>(std::ceil(wanted / sets));
}

}  // namespace

OperandSets operand_sets(const KernelSpec& spec,
                         std::int64_t wanted_bytes,
                         std::int64_t l2_cache_bytes) {
  OperandSets sets;
  for (const KernelOperand& operand : kernel_operands(spec)) {
    sets.set_bytes += operand.elements * bytes_of(operand.element);
  }
  const std::int64_t wanted = wanted_bytes < 0 ? cache_multiple * l2_cache_bytes : wanted_bytes;
  const std::int64_t set_bytes = std::max<std::int64_t>(1, sets.set_bytes);
  const std::int64_t count = (wanted + set_bytes - 1) / set_bytes;
  sets.count = static_cast<int>(std::clamp<std::int64_t>(count, 1, most_sets));
  sets.cold = sets.count * sets.set_bytes >= cold_multiple * l2_cache_bytes;
  return sets;
}

TimedRuns time_runs(CudaDevice& device,
                    int sets,
                    double sample_s,
                    const std::function<void(int set)>& run) {
  Stopwatch stopwatch(device);
  run(0);
  device.synchronize();
  const auto graph_of = [&](int runs) {
    return device.capture([&] {
      for (int i = 0; i < runs; ++i) run(i % sets);
    });
  };
  auto graph = graph_of(1);
  const double first_s = stopwatch.seconds(*graph);
  const int runs = runs_in_graph(first_s, sets, sample_s);
  std::vector<double> samples_s;
  double total_s = first_s;
  if (runs == 1) {
    samples_s.push_back(first_s);
  } else {
    graph = graph_of(runs);
    stopwatch.seconds(*graph);  // leaves the cache as every sample finds it
  }
  while (samples_s.empty() || (samples_s.size() < most_samples && total_s < enough_s)) {
    const double launch_s = stopwatch.seconds(*graph);
    total_s += launch_s;
    samples_s.push_back(launch_s / runs);
  }
  return {.time = summarize(samples_s), .runs_per_sample = runs};
}

void add_times(OrderedJson& line, const OperandSets& sets, const TimedRuns& runs) {
  line["operand_sets"] = sets.count;
  line["operand_set_bytes"] = sets.set_bytes;
  line["cold"] = sets.cold && runs.runs_per_sample >= sets.count;
  line["runs_per_sample"] = runs.runs_per_sample;
  line["samples"] = runs.time.count;
  line["median_s"] = runs.time.median_s;
  line["min_s"] = runs.time.min_s;
  line["max_s"] = runs.time.max_s;
}

double per_second(double amount, double seconds) {
  return seconds > 0.0 ? amount / seconds : 0.0;
}

}  // namespace cnnplan::cudnn
