// Lists the ways to have cuDNN compute one convolution, and gives the geometry of each.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Most of cuDNN's engines need equal padding on both sides. A block at the border of a split has
// padding on one side. Then the input is copied into a buffer with its padding, unless the engine
// accepts unequal padding. All combinations compute the same result.
struct ConvolutionVariant {
  bool padded = false;  // a buffer holds the one-sided padding as zeros
  bool fused = false;   // the engine also adds the bias and computes the ReLU
  // With 16-bit activations, dweight comes in 16 bit and is widened, and the bias that the engine
  // adds is narrowed. cuDNN 9 has no engines that mix 16 and 32 bits.
  bool narrow = false;
  // The engine also sums the outputs and their squares, by channel. A kernel of ours makes the
  // statistics of a batch norm from them. No variant of variants_of() does this: it is only
  // measured (profiler/cudnn_bench).
  bool statistics = false;
  auto operator<=>(const ConvolutionVariant&) const = default;
};

// Returns true where the output needs padding that differs between both sides.
bool needs_buffer(const KernelSpec& spec);
// Returns the variants that can compute `spec`. The first one has neither a buffer nor fusion.
std::vector<ConvolutionVariant> variants_of(const KernelSpec& spec);
// Returns true where an engine may sum the outputs of `spec`: forward, with neither bias nor ReLU,
// and not in double.
bool can_sum_outputs(const KernelSpec& spec);
// Returns the convolution that the engine sees. Its padding is symmetric where the output allows
// it, and its extents are the buffer's where `variant` is padded.
KernelSpec engine_view(const KernelSpec& spec, const ConvolutionVariant& variant);
// Returns the place of the input inside the padded buffer, in indices of the buffer, which begin at
// 0. `view` is engine_view() of a padded variant.
Box input_in_buffer(const KernelSpec& spec, const KernelSpec& view);

// Returns `spec`, and then the other kernels that canonical() (planner/kernel/kernel.hpp) does not
// tell apart from it: the padding at both ends is exchanged in one or several dims. An engine that
// a plan names has to compute all of them.
std::vector<KernelSpec> mirror_images(const KernelSpec& spec);

// Returns the words for the variant in an implementation's name, such as " padded fused".
std::string to_text(const ConvolutionVariant& variant);
// Removes the words of a variant from the end of `text`, and returns the variant. Without such
// words, it returns the default.
ConvolutionVariant parse_variant(std::string_view& text);

}  // namespace cnnplan::cudnn
