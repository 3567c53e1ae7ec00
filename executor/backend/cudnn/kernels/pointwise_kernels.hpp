// Kernels that work element by element, on memory of the device. Operands as KernelSpec documents.
#pragma once

#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {

// `limit`: what larger values become.
void relu(const KernelSpec& spec, double limit, Operands operands, cudaStream_t stream);
// Also `accumulate`.
void add(const KernelSpec& spec, double scale, Operands operands, cudaStream_t stream);
void dropout(const KernelSpec& spec,
             const KernelConstants& constants,
             const StepValues* step,
             Operands operands,
             cudaStream_t stream);
void sgd(const KernelSpec& spec, const StepValues* step, Operands operands, cudaStream_t stream);

// What follows the products of a convolution: y = relu?(y + bias?). `bias` is read where `spec` has
// one.
void finish_convolution(const KernelSpec& spec,
                        const TensorView& bias,
                        const TensorView& y,
                        cudaStream_t stream);
// y = x + bias.
void add_bias(const KernelSpec& spec, Operands operands, cudaStream_t stream);
// dbias = sum of dy over its positions.
std::int64_t bias_gradient_workspace_bytes(const Shape& dy);
void bias_gradient(Precision precision,
                   const TensorView& dy,
                   const TensorView& dbias,
                   void* workspace,
                   cudaStream_t stream);
// 16-bit numbers of `precision` to float.
void widen_values(
    Precision precision, const void* narrow, float* wide, std::int64_t count, cudaStream_t stream);
// And back, rounded.
void narrow_values(
    Precision precision, const float* wide, void* narrow, std::int64_t count, cudaStream_t stream);
// Numbers in (-1, 1) that depend on their index and `seed`.
void fill_random(
    ElementType element, void* memory, std::int64_t count, std::uint64_t seed, cudaStream_t stream);

}  // namespace cnnplan::cudnn
