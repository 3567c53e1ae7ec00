// Own kernels are bound by memory, so their speed is compared with the speed of a copy.
#include "profiler/cudnn_bench/own_bench.hpp"

#include <deque>
#include <memory>

#include "executor/backend/cudnn/first_run.hpp"
#include "executor/backend/cudnn/kernels.hpp"
#include "planner/kernel/kernel_json.hpp"
#include "profiler/cudnn_bench/own_operands.hpp"
#include "profiler/cudnn_bench/run_timer.hpp"

namespace cnnplan::cudnn {
namespace {

void add_measurement(const BenchContext& context, const StepKernel& kernel, OrderedJson& line) {
  CudaDevice& device = context.library.device();
  const OperandSets sets =
      operand_sets(kernel.spec, context.options.operand_bytes, device.properties().l2_cache_bytes);
  std::deque<OwnOperands> operands;
  for (int set = 0; set < sets.count; ++set) operands.emplace_back(device, kernel.spec);
  const std::unique_ptr<Kernel> ready =
      make_kernel(context.library, {}, kernel.spec, kernel.constants);
  const TimedRuns runs = time_runs(device, sets.count, context.options.sample_s, [&](int set) {
    ready->run(operands[set].views(), {});
  });
  add_times(line, sets, runs);
  const double moved = bytes(kernel.spec, DeviceKind::gpu);
  const double bytes_per_s = per_second(moved, runs.time.median_s);
  line["bytes"] = moved;
  line["bytes_per_s"] = bytes_per_s;
  line["share_of_copy"] = per_second(bytes_per_s, context.peaks.copy_bytes_per_s);
}

}  // namespace

bool time_own_kernel(const BenchContext& context, const StepKernel& kernel) {
  OrderedJson line = new_line("own");
  line.update(to_ordered_json(kernel.spec));
  line["count"] = kernel.count;
  return measure_line(context, first_run_of("", kernel.spec), line, [&](OrderedJson& measured) {
    add_measurement(context, kernel, measured);
  });
}

}  // namespace cnnplan::cudnn
