// The health of the device, and the least time of a kernel.
#include "profiler/cudnn_bench/bench_context.hpp"

#include <algorithm>
#include <ostream>

#include "profiler/cudnn_bench/run_timer.hpp"

namespace cnnplan::cudnn {
namespace {

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

}  // namespace

LostDevice::LostDevice(const std::string& culprit, const std::string& error)
    : Error(ExitCode::environment,
            "the device does not answer after " + culprit + ": " + error +
                "; --skip-engine leaves an engine out") {}

void require_device(const BenchContext& context, const std::string& what, const Error& error) {
  if (!answers(context.library.device())) throw LostDevice(what, error.what());
}

bool measure_line(const BenchContext& context,
                  const std::string& what,
                  OrderedJson line,
                  const std::function<void(OrderedJson&)>& measure) {
  context.log << "cudnn_bench: " << what << std::endl;
  try {
    measure(line);
  } catch (const LostDevice& lost) {
    line["error"] = lost.what();
    context.lines.write(line);
    throw;
  } catch (const Error& error) {
    line["error"] = error.what();
    context.lines.write(line);
    require_device(context, what, error);
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
