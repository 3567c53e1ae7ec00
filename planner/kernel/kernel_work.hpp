// Counts floating-point operations and the bytes that must move at least, by kind of kernel.
#pragma once

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// These functions are for kinds that take one operation per element and pass. All of their passes
// are over activations.
double pass_flops(const KernelSpec& spec);
double pass_bytes(const KernelSpec& spec);

// A multiply-add counts two.
double convolution_flops(const KernelSpec& spec);
double convolution_bytes(const KernelSpec& spec);
// Counts the place of a maximum for each output, as wide as a parameter, even where pooling takes a
// mean.
double pooling_bytes(const KernelSpec& spec);
double upsample_flops(const KernelSpec& spec);
double interpolate_flops(const KernelSpec& spec);
// The input and the output block are activations, and each moves once.
double block_bytes(const KernelSpec& spec);
double local_response_norm_flops(const KernelSpec& spec);
double pointwise_bytes(const KernelSpec& spec);
double softmax_bytes(const KernelSpec& spec);
double squared_error_bytes(const KernelSpec& spec);
double sgd_bytes(const KernelSpec& spec);

}  // namespace cnnplan
