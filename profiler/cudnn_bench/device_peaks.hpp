// Measures what the device reaches at most: the rate of a copy and that of a matrix product.
#pragma once

#include "profiler/cudnn_bench/bench_context.hpp"

namespace cnnplan::cudnn {

// Runs products until the clocks are up, then writes a line for the copy and one for the product.
// @throws LostDevice
DevicePeaks measure_peaks(const BenchContext& context);

// The matrix product as a 1x1 convolution: `size` rows, columns and depth; at least 256 rows.
KernelSpec product_spec(std::int64_t size, Precision precision);

}  // namespace cnnplan::cudnn
