// Measures the largest rates of the device: of a matrix product, and of a copy.
#pragma once

#include "profiler/cudnn_bench/bench_context.hpp"

namespace cnnplan::cudnn {

// Runs products for BenchOptions::warm_up_s, so that the clocks are up, and then copies. Writes a
// line for each of the two. A peak that cannot be measured is 0. It blocks.
// @throws DeviceLostError
DevicePeaks measure_peaks(const BenchContext& context);

// Returns the matrix product as a 1x1 convolution with `size` channels and filters. Its rows are
// positions: the largest multiple of 256 up to `size`, or 256 if `size` is smaller.
KernelSpec product_spec(std::int64_t size, Precision precision);

}  // namespace cnnplan::cudnn
