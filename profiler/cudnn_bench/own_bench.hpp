// Times one of the kernels that this project wrote itself.
#pragma once

#include "profiler/cudnn_bench/bench_context.hpp"
#include "profiler/cudnn_bench/step_kernels.hpp"

namespace cnnplan::cudnn {

// Writes one line, with the times or the error. Returns whether the kernel ran. It blocks.
// @pre the kernel is no convolution @throws DeviceLostError
bool time_own_kernel(const BenchContext& context, const StepKernel& kernel);

}  // namespace cnnplan::cudnn
