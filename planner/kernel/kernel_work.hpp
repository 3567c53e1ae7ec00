// Counts floating-point operations and the bytes that must move at least, by kind of kernel.
//
// The prefix of a name is the kind. A function that ends in _flops returns operations of the local
// block, and one that ends in _bytes returns bytes that its kernel reads and writes.
#pragma once

#include <cstdint>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// A mask of bits lies in words of this number of bits.
inline constexpr std::int64_t bits_of_word = 32;
// A GPU keeps the place of a maximum in one byte if its window has at most this many taps. A byte
// has one value more, for "no maximum".
inline constexpr std::int64_t most_small_taps = 255;

// Both functions count the passes of phase_of(spec) over the output block. pass_flops counts one
// operation per element and pass. pass_bytes is for kinds whose passes are all over activations.
double pass_flops(const KernelSpec& spec);
double pass_bytes(const KernelSpec& spec);
// Counts one pass over activations if the phase is backward_data. Kernels of GPUs do not make the
// third pass that profiles and prices count for some kinds.
double third_pass_bytes(const KernelSpec& spec);

// Counts two operations for a multiply-add. All three phases of a convolution take equally many.
double convolution_flops(const KernelSpec& spec);
// Counts both blocks and the weight, or its gradient.
double convolution_bytes(const KernelSpec& spec);
// Counts the place of a maximum for each output, as wide as a parameter, even where pooling takes a
// mean.
double pooling_bytes(const KernelSpec& spec);
// Counts what pooling_bytes() counts for places beyond what a GPU moves. Its kernels keep no places
// for means, and a place takes one byte if the window has at most most_small_taps taps.
double pooling_unmoved_by_gpu(const KernelSpec& spec);
// Returns whether the backward statistics of a batch norm keep dz, the masked error signal.
bool keeps_dz(const KernelSpec& spec);
// Returns whether a backward phase of a batch norm computes the mask of its ReLU from x. Where dz
// is kept, the statistics have masked the error signal already.
bool masks(const KernelSpec& spec);
// Returns whether a batch norm has the operand `mask`: a bit for each output, for the backward
// pass. It has one with a ReLU after a residual, in 16 bits, with a multiple of 32 channels.
bool has_mask(const KernelSpec& spec);
// Counts the output that a backward phase of batch norm reads to mask its error signal, less the
// mask that a GPU moves instead. A GPU finds the mask from x, unless the statistics keep the masked
// error signal. With a mask, the result is below 0 in the phase forward.
double batch_norm_unmoved_by_gpu(const KernelSpec& spec);
// Counts one operation for each element of the output.
double upsample_flops(const KernelSpec& spec);
// Counts a multiply-add for each input that an output is interpolated from: 2, 4 or 8 of them.
double interpolate_flops(const KernelSpec& spec);
// The input and the output block are activations, and each moves once. Upsamplings and
// interpolations move nothing else.
double block_bytes(const KernelSpec& spec);
// Counts a sum of squares and a power for each element, and both twice if the phase is not forward.
double local_response_norm_flops(const KernelSpec& spec);
// Counts the last input, which may be a gate, and its gradient with the shape of this input. All
// other passes have the shape of the output.
double pointwise_bytes(const KernelSpec& spec);
// Counts one pass over probabilities, which are as wide as parameters, and further passes over
// activations.
double softmax_bytes(const KernelSpec& spec);
// Counts one pass over activations, and further passes over elements as wide as parameters.
double squared_error_bytes(const KernelSpec& spec);
// Counts passes over parameters, and one over the copies that convolutions read, if there are any.
double sgd_bytes(const KernelSpec& spec);

}  // namespace cnnplan
