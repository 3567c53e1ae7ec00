// The health of the device, and the least time of a kernel.
#include "profiler/cudnn_bench/bench_context.hpp"

#include <algorithm>
#include <ostream>

#include "profiler/cudnn_bench/run_timer.hpp"

namespace cnnplan::cudnn {
LostDevice::LostDevice(const std::string& culprit, const std::string& error)
    : Error(ExitCode::environment,
            "the device does not answer after " + culprit + ": " + error +
                "; --skip-engine leaves an engine out") {}

bool answers(CudaDevice& device) {
  try {
    device.synchronize();
    device.make_event()->record();
    device.synchronize();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool measure_line(const BenchContext& context,
                  const std::string& what,
                  OrderedJson line,
                  const std::function<void(OrderedJson&)>& measure) {
  context.log << "cudnn_bench: " << what << std::endl;
  std::string error;
  try {
    measure(line);
  } catch (const Error& caught) {
    error = caught.what();
    line["error"] = error;
  }
  context.lines.write(line);
  if (error.empty()) return true;
  if (!answers(context.library.device())) throw LostDevice(what, error);
  return false;
}

double bound_s(const KernelSpec& spec, const DevicePeaks& peaks) {
  return std::max(per_second(bytes(spec), peaks.copy_bytes_per_s),
                  spec.kind == KernelKind::convolution
                      ? per_second(flops(spec), peaks.product_flops_per_s)
                      : 0.0);
}

}  // namespace cnnplan::cudnn
