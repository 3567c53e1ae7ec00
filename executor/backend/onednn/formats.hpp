// Describes shapes and windows in oneDNN's terms. Blocks of depth 1 are two-dimensional to oneDNN.
#pragma once

#include <dnnl.hpp>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Returns false if both blocks have depth 1 and the window has its defaults in the dim d.
// Otherwise, oneDNN gets three spatial dims.
bool is_three_dimensional(const KernelSpec& spec);
// Returns the type of activations and of the weights that convolutions read.
// @pre precision is fp32 or bf16
dnnl::memory::data_type activation_type(Precision precision);
// Returns the format of a dense, channels-last block of activations of this shape. It has the
// precision and the number of spatial dims of `spec`.
dnnl::memory::desc activation_format(const KernelSpec& spec, const Shape& shape);

// Holds the window of a convolution or pooling, as oneDNN takes it.
struct WindowLists {
  dnnl::memory::dims kernel;
  dnnl::memory::dims stride;
  dnnl::memory::dims dilation;  // the number of elements between two taps: 0 is dense
  dnnl::memory::dims padding_begin;
  dnnl::memory::dims padding_end;  // what the outputs need; may be negative
};
// Returns the window of `spec`. Each list has one number for each of (h, w), or of (d, h, w) if
// is_three_dimensional(spec).
WindowLists window_lists(const KernelSpec& spec);

}  // namespace cnnplan::onednn
