// Writes the line of a measurement however the measurement ends, and computes least times.
#include "profiler/cudnn_bench/bench_context.hpp"

#include <algorithm>
#include <ostream>

#include "executor/backend/cudnn/first_run.hpp"
#include "profiler/cudnn_bench/run_timer.hpp"

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
  return std::max(per_second(bytes(spec), peaks.copy_bytes_per_s),
                  spec.kind == KernelKind::convolution
                      ? per_second(flops(spec), peaks.product_flops_per_s)
                      : 0.0);
}

}  // namespace cnnplan::cudnn
