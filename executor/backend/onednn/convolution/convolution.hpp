// Declares the ways in which a convolution can run, of which make_convolution chooses.
#pragma once

#include <memory>

#include "executor/backend/onednn/library.hpp"

namespace cnnplan::onednn {

// With AVX2, windows over fewer channels are fastest when oneDNN runs them on channels-last
// activations. Blocked activations and packed panels took longer for most windows of eleven
// networks.
inline constexpr std::int64_t many_window_channels = 32;

// Returns oneDNN's convolution, or null where it refuses the convolution or has only slow or wrong
// implementations. @pre no empty extent @throws BackendError where another call of oneDNN fails
std::unique_ptr<Kernel> find_convolution_primitive(const Library& library, const KernelSpec& spec);
// Makes oneDNN's convolution. @pre no empty extent @throws BackendError where there is none
std::unique_ptr<Kernel> make_convolution_primitive(const Library& library, const KernelSpec& spec);

// Computes Y = X W for few rows of X, bound by reading the weights once.
// @pre in = (1, K, 1, 1, rows), out = (1, F, 1, 1, rows), weights in the format `rows`
std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec);
inline constexpr std::int64_t thin_rows = 16;

// Multiplies panels that are packed in a thread's workspace.
// @pre no empty extent
// @throws std::logic_error unless has_packed_kernel(spec)
std::unique_ptr<Kernel> make_packed_kernel(const KernelSpec& spec);
// Returns true in fp32, without groups, with channels in and out in whole panels, and weights
// stored in blocks. Gradients of filters may also be stored in rows.
bool has_packed_kernel(const KernelSpec& spec);

// Makes a strided pointwise convolution, which gathers the inputs that are used and runs `inner` on
// them. `inner` takes in = out except for the channels.
std::unique_ptr<Kernel> make_strided_pointwise(const KernelSpec& spec,
                                               std::unique_ptr<Kernel> inner);

// Makes a convolution with an empty extent. Operands that have elements become the bias or zero.
std::unique_ptr<Kernel> make_empty_convolution(const KernelSpec& spec);

}  // namespace cnnplan::onednn
