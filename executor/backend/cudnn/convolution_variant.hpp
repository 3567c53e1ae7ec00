// The ways to have cuDNN compute one convolution, and the geometry of each.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// cuDNN's engines know padding that is the same on both sides, and few know any other. A block at
// the border of a split has padding on one side: then the input is copied into a buffer with its
// padding, or taken as it is by an engine that can. All combinations are equal in what they
// compute.
struct ConvolutionVariant {
  bool padded = false;  // by way of a buffer that holds the one-sided padding as zeros
  bool fused = false;   // bias and ReLU are the engine's, too
  // Of 16-bit activations: dweight comes in 16 bit and is widened, the bias that is added by the
  // engine is narrowed. cuDNN 9 has no engines that mix.
  bool narrow = false;
  auto operator<=>(const ConvolutionVariant&) const = default;
};

// Where the output needs padding that is not the same on both sides.
bool needs_buffer(const KernelSpec& spec);
// Those that make sense for `spec`, the most promising first.
std::vector<ConvolutionVariant> variants_of(const KernelSpec& spec);
// The convolution that the engine sees: symmetric padding where the output allows it, and the
// extents of the buffer where `variant` is padded.
KernelSpec engine_view(const KernelSpec& spec, const ConvolutionVariant& variant);
// The block of the input inside the padded buffer, whose local indices begin at 0.
Box input_in_buffer(const KernelSpec& spec, const KernelSpec& view);

// The kernels that canonical() does not tell apart, `spec` first: an engine that is named in a plan
// is to compute all of them.
std::vector<KernelSpec> mirror_images(const KernelSpec& spec);

// " padded fused": what an implementation's name says of the variant.
std::string to_text(const ConvolutionVariant& variant);
// Takes the words of a variant off the end of `text`.
ConvolutionVariant parse_variant(std::string_view& text);

}  // namespace cnnplan::cudnn
