// Computes the padding of a variant, and the words of its name.
#include "executor/backend/cudnn/convolution_variant.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cnnplan::cudnn {
namespace {

using Word = std::pair<std::string_view, bool ConvolutionVariant::*>;
constexpr std::array<Word, 4> words{Word{" padded", &ConvolutionVariant::padded},
                                    Word{" fused", &ConvolutionVariant::fused},
                                    Word{" narrow", &ConvolutionVariant::narrow},
                                    Word{" statistics", &ConvolutionVariant::statistics}};

// Inputs after the last output's window do not matter.
WindowDim with_symmetric_padding(const WindowDim& dim, std::int64_t in, std::int64_t out) {
  WindowDim symmetric = dim;
  symmetric.padding_end = dim.padding_begin;
  return output_length(in, symmetric) == out ? symmetric : dim;
}

bool is_symmetric(const WindowDim& dim) {
  return dim.padding_begin == dim.padding_end;
}

KernelSpec with_symmetric_padding(KernelSpec spec) {
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    spec.window.dims[i] = with_symmetric_padding(spec.window.dims[i], spec.in[dim], spec.out[dim]);
  }
  return spec;
}

}  // namespace

bool needs_buffer(const KernelSpec& spec) {
  const auto& dims = with_symmetric_padding(spec).window.dims;
  return !std::all_of(dims.begin(), dims.end(), is_symmetric);
}

std::vector<ConvolutionVariant> variants_of(const KernelSpec& spec) {
  std::vector<ConvolutionVariant> variants{{}};
  const auto also = [&variants](bool ConvolutionVariant::*choice) {
    const std::vector<ConvolutionVariant> others = variants;
    for (ConvolutionVariant variant : others) {
      variant.*choice = true;
      variants.push_back(variant);
    }
  };
  if (needs_buffer(spec)) also(&ConvolutionVariant::padded);
  const bool forward = spec.phase == KernelPhase::forward;
  if (forward && (spec.bias || spec.relu)) also(&ConvolutionVariant::fused);
  for (ConvolutionVariant& variant : variants) {
    const bool has_parameters =
        (variant.fused && spec.bias) || spec.phase == KernelPhase::backward_filter;
    variant.narrow = has_parameters && has_weight_copies(spec.precision);
  }
  return variants;
}

bool can_sum_outputs(const KernelSpec& spec) {
  return spec.phase == KernelPhase::forward && !spec.bias && !spec.relu &&
         spec.precision != Precision::fp64;
}

KernelSpec engine_view(const KernelSpec& spec, const ConvolutionVariant& variant) {
  KernelSpec view = with_symmetric_padding(spec);
  for (std::size_t i = 0; variant.padded && i < spatial_dims.size(); ++i) {
    WindowDim& dim = view.window.dims[i];
    if (is_symmetric(dim)) continue;
    view.in[spatial_dims[i]] += dim.padding_begin + dim.padding_end;
    dim.padding_begin = dim.padding_end = 0;
  }
  return view;
}

Box input_in_buffer(const KernelSpec& spec, const KernelSpec& view) {
  Box box = whole(spec.in);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    if (view.in[dim] == spec.in[dim]) continue;
    box[dim].begin += spec.window.dims[i].padding_begin;
    box[dim].end += spec.window.dims[i].padding_begin;
  }
  return box;
}

std::vector<KernelSpec> mirror_images(const KernelSpec& spec) {
  std::vector<KernelSpec> images{spec};
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    if (is_symmetric(spec.window.dims[i])) continue;
    const std::vector<KernelSpec> others = images;
    for (KernelSpec image : others) {
      WindowDim& dim = image.window.dims[i];
      std::swap(dim.padding_begin, dim.padding_end);
      images.push_back(image);
    }
  }
  return images;
}

std::string to_text(const ConvolutionVariant& variant) {
  std::string text;
  for (const auto& [word, choice] : words) {
    if (variant.*choice) text += word;
  }
  return text;
}

ConvolutionVariant parse_variant(std::string_view& text) {
  ConvolutionVariant variant;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (!text.ends_with(word->first)) continue;
    variant.*(word->second) = true;
    text.remove_suffix(word->first.size());
  }
  return variant;
}

}  // namespace cnnplan::cudnn
