// Groups the objects that all measurements of one cudnn_bench share.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "executor/backend/cudnn/library.hpp"
#include "profiler/cudnn_bench/bench_options.hpp"
#include "profiler/cudnn_bench/line_writer.hpp"

namespace cnnplan::cudnn {

// Holds the rates that the device reaches; 0 if they were not measured.
struct DevicePeaks {
  double copy_bytes_per_s = 0.0;     // of a copy, where bytes read and bytes written both count
  double product_flops_per_s = 0.0;  // of a matrix product, where a multiply-add counts two
};

// Borrows the objects.
struct BenchContext {
  const BenchOptions& options;
  Library& library;
  LineWriter& lines;
  std::ostream& log;  // names what runs next
  DevicePeaks peaks{};
};

// Names `what` on the log, so that a crash or a hang has a culprit. Then calls `measure`, which
// adds its results to `line`, and writes the line, with the error where `measure` throws one.
// Returns true if it threw no error. It blocks.
// @throws DeviceLostError, after the line is written, where the device does not answer any more
bool measure_line(const BenchContext& context,
                  const std::string& what,
                  OrderedJson line,
                  const std::function<void(OrderedJson&)>& measure);
// Returns the seconds that one run of the kernel takes at least, at the measured peaks. A peak that
// was not measured does not count; without any, the bound is 0.
double bound_s(const KernelSpec& spec, const DevicePeaks& peaks);

}  // namespace cnnplan::cudnn
