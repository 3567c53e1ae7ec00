// Holds each fault with the widest condition under which it was seen.
#include "executor/backend/onednn/convolution/convolution_faults.hpp"

#include "executor/backend/onednn/formats.hpp"

namespace cnnplan::onednn {
namespace {

// Kernels of three dims fail where more than one stride of depths lies in the padding.
bool begins_far_outside(const WindowDim& depth) {
  return depth.stride > 1 && depth.padding_begin > depth.stride;
}

// Kernels of three dims fail where the kernel is deeper than the input by two or more, and either
// the first window leaves the input at both ends or the windows all begin before the input.
bool surrounds_depths(const KernelSpec& spec) {
  const WindowDim& depth = spec.window.dims[0];
  const std::int64_t windows = spec.out[Dim::d];
  const std::int64_t inputs = spec.in[Dim::d];
  return windows > 1 && depth.padding_begin > 0 && depth.kernel > inputs + 1 &&
         (depth.padding_begin + inputs <= depth.kernel || depth.padding_begin > windows);
}

// Kernels of three dims lose the row of the filter where more windows would fit into the padding
// above the input than there are, and the kernel is higher than the input.
bool ends_above_input(const KernelSpec& spec) {
  const WindowDim& height = spec.window.dims[1];
  return spec.out[Dim::d] > 1 && height.stride > 1 && height.kernel > spec.in[Dim::h] &&
         spec.out[Dim::h] * height.stride < height.padding_begin;
}

// Kernels of three dims in bf16 fail where a window of depths that begins before the input is
// followed by one that ends after it.
bool leaves_at_both_ends(const KernelSpec& spec) {
  const WindowDim& depth = spec.window.dims[0];
  return depth.stride > 1 && depth.padding_begin > 0 && spec.out[Dim::d] > 1 &&
         depth.padding_begin + spec.in[Dim::d] < depth.kernel + depth.stride;
}

bool jit_misreads_bf16(const KernelSpec& spec) {
  const auto& [depth, height, width] = spec.window.dims;
  if (width.stride > spec.in[Dim::w]) return true;
  if (!is_three_dimensional(spec)) return false;
  return leaves_at_both_ends(spec) || height.reach() > spec.in[Dim::h];
}

// Factors are read in pairs, and the last one of an odd number of filters is paired, too.
bool pairs_wrongly(const std::string& implementation, const KernelSpec& spec) {
  return implementation.rfind("jit_bf16_1x1", 0) == 0 && spec.phase == KernelPhase::backward_data &&
         spec.out[Dim::c] / spec.groups % 2 != 0;
}

}  // namespace

bool jit_misreads(const KernelSpec& spec) {
  if (spec.phase != KernelPhase::backward_filter) return false;
  return begins_far_outside(spec.window.dims[0]) || surrounds_depths(spec) ||
         ends_above_input(spec) || (spec.precision == Precision::bf16 && jit_misreads_bf16(spec));
}

bool is_wrong(const std::string& implementation, const KernelSpec& spec) {
  const bool is_jit = implementation.rfind("jit", 0) == 0;
  return (is_jit && jit_misreads(spec)) || pairs_wrongly(implementation, spec);
}

}  // namespace cnnplan::onednn
