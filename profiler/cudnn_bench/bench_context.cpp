// Writes the line of a measurement however the measurement ends, and computes least times.
#include "profiler/cudnn_bench/bench_context.hpp"

#include <ostream>

#include "executor/backend/cudnn/first_run.hpp"
#include "planner/kernel/kernel_bound.hpp"

namespace cnnplan::cudnn {

bool measure_line(const BenchContext& context,
                  const std::string& what,
                  OrderedJson line,
                  const std::function<void(OrderedJson&)>& measure) {
  context.log << "cudnn_bench: " << what << std::endl;
  try {
    measure(line);
  } catch (const Error& error) {
    line["error"] = error.what();
    context.lines.write(line);
    require_answer(context.library.device(), what, error);
    return false;
  }
  context.lines.write(line);
  return true;
}

double bound_s(const KernelSpec& spec, const DevicePeaks& peaks) {
  const DeviceRoof roof{.flops_per_s = peaks.product_flops_per_s,
                        .bytes_per_s = peaks.copy_bytes_per_s,
                        .device = DeviceKind::gpu};
  return bound_of(spec, roof).seconds();
}

}  // namespace cnnplan::cudnn
