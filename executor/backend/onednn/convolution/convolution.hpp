// Declares the ways in which a convolution can run, of which make_convolution chooses.
#pragma once

#include <memory>

#include "executor/backend/onednn/library.hpp"

namespace cnnplan::onednn {

// With AVX2, windows (kernels above 1x1x1) over fewer channels than this are fastest when oneDNN
// runs them on channels-last activations. Blocked activations and packed panels took longer for
// most windows of eleven networks.
inline constexpr std::int64_t many_window_channels = 32;

// Returns oneDNN's convolution, or null where it refuses the convolution or has only slow or wrong
// implementations. @pre no empty extent @throws BackendError where another call of oneDNN fails
std::unique_ptr<Kernel> find_convolution_primitive(const Library& library, const KernelSpec& spec);
// Makes oneDNN's convolution. @pre no empty extent @throws BackendError where there is none
std::unique_ptr<Kernel> make_convolution_primitive(const Library& library, const KernelSpec& spec);

// Makes a kernel for matrix products Y = X W with few rows of X, whose time is that of reading the
// weights once. It computes all phases. @throws std::logic_error for more than thin_rows rows
// @pre in = (1, K, 1, 1, rows), out = (1, F, 1, 1, rows), weights in the format `rows`
std::unique_ptr<Kernel> make_thin_product(const KernelSpec& spec);
// make_convolution() uses make_thin_product() for at most this number of rows.
inline constexpr std::int64_t thin_rows = 16;

// Makes a kernel that packs its operands into panels in a thread's workspace, and multiplies
// panels.
// @pre no empty extent
// @throws std::logic_error unless has_packed_kernel(spec), and for a backward_filter with a bias
std::unique_ptr<Kernel> make_packed_kernel(const KernelSpec& spec);
// Returns true for convolutions in fp32 without groups, whose channels in and out are whole panels
// (packed/panels.hpp), and whose weights have the format `blocked`. In the phase backward_filter,
// the format may also be `rows`.
bool has_packed_kernel(const KernelSpec& spec);

// Makes a strided pointwise convolution. It gathers the inputs that the stride does not skip, and
// runs `inner` on them, the kernel of the convolution without a stride. Input and output of `inner`
// have equal extents, except for the channels.
std::unique_ptr<Kernel> make_strided_pointwise(const KernelSpec& spec,
                                               std::unique_ptr<Kernel> inner);

// Makes a convolution whose input or output has an empty extent. It writes zeros, except that
// outputs become the bias (after the ReLU) and the gradient of the bias is the sum of dy.
std::unique_ptr<Kernel> make_empty_convolution(const KernelSpec& spec);

}  // namespace cnnplan::onednn
