// Declares kernels that work element by element, on memory of the device.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {

// Computes y or dx by the function of the kind that executor/backend/element_wise_functions.hpp
// lists.
void element_wise(const KernelCall& call, const OperandsByRole& operands);
// Computes y = relu?(a + add_scale * b) in the phase forward, else dx = add_scale * dy. The kind
// `accumulate` runs it, too.
void add(const KernelCall& call, const OperandsByRole& operands);
// Computes y from x, or dx from dy, by the mask of dropout_mask.hpp. With StepValues::training off,
// values pass through.
void dropout(const KernelCall& call, const OperandsByRole& operands);
// Updates parameters and momentum, and writes their copies if there are any: v = momentum v +
// gradient / loss_scale + weight_decay weight, weight -= learning_rate v.
void sgd(const KernelCall& call, const OperandsByRole& operands);
// Computes y = x + bias in the phase forward, else dbias, the sum of dy over its positions.
void bias(const KernelCall& call, const OperandsByRole& operands);
// Returns the bytes that KernelCall::workspace must have for bias().
std::int64_t bias_workspace_bytes(const KernelSpec& spec);

// Finishes a convolution after its products: y = relu?(y + bias?). `bias` is read where `spec` has
// one. This function and the ones below put their work in `stream`, on memory of the device, and
// throw as launch().
void finish_convolution(const KernelSpec& spec,
                        const TensorView& bias,
                        const TensorView& y,
                        cudaStream_t stream);
// Returns the bytes that the memory for bias_gradient() must have for a dy of this shape.
std::int64_t bias_gradient_workspace_bytes(const Shape& dy);
// Computes dbias, the sum of dy over its positions.
void bias_gradient(Precision precision,
                   const TensorView& dy,
                   const TensorView& dbias,
                   const SumScratch& scratch);
// Converts 16-bit numbers of `precision` to float.
void widen_values(
    Precision precision, const void* narrow, float* wide, std::int64_t count, cudaStream_t stream);
// Converts floats to 16-bit numbers of `precision`, rounded.
void narrow_values(
    Precision precision, const float* wide, void* narrow, std::int64_t count, cudaStream_t stream);
// Fills memory with random numbers in (-1, 1), each of which depends on its index and `seed` only.
void fill_random(
    ElementType element, void* memory, std::int64_t count, std::uint64_t seed, cudaStream_t stream);

}  // namespace cnnplan::cudnn
