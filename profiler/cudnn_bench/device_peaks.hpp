// Measures the largest rates of the device: of a matrix product, and of a copy.
#pragma once

#include "profiler/cudnn_bench/bench_context.hpp"

namespace cnnplan::cudnn {

// Runs products until the clocks are up, and then copies. Writes a line for each of the two.
// @throws DeviceLostError
DevicePeaks measure_peaks(const BenchContext& context);

// Returns the matrix product as a 1x1 convolution: `size` columns and depth, and as many rows, or
// 256 if that is more.
KernelSpec product_spec(std::int64_t size, Precision precision);

}  // namespace cnnplan::cudnn
