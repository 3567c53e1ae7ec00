// What all measurements of one cudnn_bench share.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "executor/backend/cudnn/library.hpp"
#include "planner/model/error.hpp"
#include "profiler/cudnn_bench/bench_options.hpp"
#include "profiler/cudnn_bench/line_writer.hpp"

namespace cnnplan::cudnn {

// What the device reaches; 0 where it was not measured.
struct DevicePeaks {
  double copy_bytes_per_s = 0.0;  // read and written
  double product_flops_per_s = 0.0;
};

struct BenchContext {
  const BenchOptions& options;
  Library& library;
  LineWriter& lines;
  std::ostream& log;  // names what runs next
  DevicePeaks peaks{};
};

// Exit code 5: after an error of some kernel, every call of the CUDA runtime fails.
class LostDevice : public Error {
 public:
  LostDevice(const std::string& culprit, const std::string& error);
};

// Call it after an error of `what`. Blocks. @throws LostDevice where the device does not answer any
// more
void require_device(const BenchContext& context, const std::string& what, const Error& error);
// Names `what` on the log, so that a crash or a hang has a culprit. Then calls `measure`, which
// adds what it finds to `line`, and writes the line, with the error where `measure` throws one.
// Returns whether it threw none. @throws LostDevice, after the line is written, where the device
// does not answer any more
bool measure_line(const BenchContext& context,
                  const std::string& what,
                  OrderedJson line,
                  const std::function<void(OrderedJson&)>& measure);
// Seconds that one run of the kernel takes at least, at the measured peaks.
double bound_s(const KernelSpec& spec, const DevicePeaks& peaks);

}  // namespace cnnplan::cudnn
