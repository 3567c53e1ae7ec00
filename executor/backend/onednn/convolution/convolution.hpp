// The ways in which a convolution can run; make_convolution chooses.
#pragma once

#include <memory>

#include "executor/backend/onednn/library.hpp"

namespace cnnplan::onednn {

// With AVX2, windows over fewer channels are fastest as oneDNN runs them on activations as they
// are: others took longer for most windows of eleven networks.
inline constexpr std::int64_t many_window_channels = 32;

// oneDNN's convolution. `spec` has no empty extent.
std::unique_ptr<Kernel> make_convolution_primitive(const Library& library, const KernelSpec& spec);

// Y = X W for few rows of X, bound by reading the weights once.
// @pre in = (1, K, 1, 1, rows), out = (1, F, 1, 1, rows), weights in the format `rows`
std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec);
inline constexpr std::int64_t thin_rows = 16;

// Products of panels that are packed for them, on a thread's workspace. @pre no empty extent
// @throws std::logic_error unless has_packed_kernel(spec)
std::unique_ptr<Kernel> make_packed_kernel(const KernelSpec& spec);
// True in fp32, without groups, with channels in and out in whole panels, and weights stored in
// blocks; of gradients of filters also where they are stored in rows.
bool has_packed_kernel(const KernelSpec& spec);

// A strided pointwise convolution: gathers the inputs that are used and runs `inner` on them.
// `inner` takes in = out but for the channels.
std::unique_ptr<Kernel> make_strided_pointwise(const KernelSpec& spec,
                                               std::unique_ptr<Kernel> inner);

// A convolution with an empty extent: what has elements is bias or zero.
std::unique_ptr<Kernel> make_empty_convolution(const KernelSpec& spec);

}  // namespace cnnplan::onednn
