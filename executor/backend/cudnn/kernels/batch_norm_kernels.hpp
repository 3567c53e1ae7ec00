// Declares batch norm in its four phases, on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Returns the bytes that KernelCall::workspace must have for the phase of `spec`.
std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec);
// Computes the statistics in the phase forward_statistics, else normalises.
void batch_norm_forward(const KernelCall& call, const OperandsByRole& operands);

// Holds sums of a block and of its squares, by channel, in memory of the device. An engine of cuDNN
// has added them in float.
struct EngineSums {
  const float* values = nullptr;
  const float* squares = nullptr;
};
// The sums of a channel count if its squared mean is at most this many variances. If the relative
// error of both sums is at most 2^-17, that of the variance is then below 2^-9
// (docs/decisions/0006-gpu-backend.md).
inline constexpr double most_mean_squares = 64.0;
// Returns the bytes of scratch memory that complete_statistics() needs.
std::int64_t statistics_workspace_bytes(std::int64_t channels);
// Writes the operand `sums` of the phase forward_statistics, from the sums of an engine. It reads
// the dense block x where some of these sums do not count.
// @pre x has elements, and `precision` is not fp64
void complete_statistics(Precision precision,
                         const TensorView& x,
                         const EngineSums& engine_sums,
                         double* sums,
                         const SumScratch& scratch);

// Computes the sums for the gradient in the phase backward_statistics, else the error signal.
void batch_norm_backward(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
