// Keys, work and traffic of kernels.
#include "planner/model/kernel.hpp"

#include <algorithm>
#include <array>

namespace cnnplan {
namespace {

std::string triple(const Window& window, std::int64_t WindowDim::*member) {
  std::string text;
  for (const WindowDim& dim : window.dims) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim.*member);
  }
  return text;
}

double elements(const Shape& shape) {
  double product = 1.0;
  for (std::int64_t extent : shape.extents) product *= static_cast<double>(extent);
  return product;
}

double kernel_volume(const Window& window) {
  double product = 1.0;
  for (const WindowDim& dim : window.dims) product *= static_cast<double>(dim.kernel);
  return product;
}

double weight_elements(const KernelSpec& spec) {
  return static_cast<double>(spec.out[Dim::c]) * static_cast<double>(spec.in[Dim::c]) /
         static_cast<double>(spec.groups) * kernel_volume(spec.window);
}

// How many times the kernel reads or writes a tensor of the size of its output block.
double passes(const KernelSpec& spec) {
  const double extra = (spec.relu ? 1.0 : 0.0) + (spec.residual ? 1.0 : 0.0);
  switch (spec.phase) {
    case KernelPhase::forward_statistics:
      return 1.0;
    case KernelPhase::backward_statistics:
      return 2.0 + extra;
    case KernelPhase::update:
      return 5.0;
    case KernelPhase::forward:
      return spec.kind == KernelKind::add || spec.kind == KernelKind::accumulate
                 ? 3.0
                 : 2.0 + (spec.residual ? 1.0 : 0.0);
    default:
      return 3.0 + (spec.relu && !spec.residual ? 1.0 : 0.0);
  }
}

}  // namespace

std::string_view to_text(KernelKind kind) {
  constexpr std::array<std::string_view, 9> names{"convolution",
                                                  "batch_norm",
                                                  "relu",
                                                  "pooling",
                                                  "add",
                                                  "dropout",
                                                  "softmax_cross_entropy",
                                                  "accumulate",
                                                  "sgd"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_text(KernelPhase phase) {
  constexpr std::array<std::string_view, 6> names{"forward",
                                                  "backward_data",
                                                  "backward_filter",
                                                  "forward_statistics",
                                                  "backward_statistics",
                                                  "update"};
  return names[static_cast<std::size_t>(phase)];
}

std::string_view to_text(KernelAlgorithm algorithm) {
  return algorithm == KernelAlgorithm::direct ? "direct" : "winograd";
}

KernelSpec canonical(KernelSpec spec) {
  for (WindowDim& dim : spec.window.dims) {
    if (dim.padding_begin > dim.padding_end) std::swap(dim.padding_begin, dim.padding_end);
  }
  return spec;
}

std::string to_text(const KernelSpec& spec) {
  std::string text = std::string(to_text(spec.kind)) + '/' + std::string(to_text(spec.phase)) +
                     " in=" + to_text(spec.in) + " out=" + to_text(spec.out);
  if (spec.kind == KernelKind::convolution || spec.kind == KernelKind::pooling) {
    text += " kernel=" + triple(spec.window, &WindowDim::kernel) +
            " stride=" + triple(spec.window, &WindowDim::stride) +
            " padding=" + triple(spec.window, &WindowDim::padding_begin) + ':' +
            triple(spec.window, &WindowDim::padding_end) +
            " dilation=" + triple(spec.window, &WindowDim::dilation);
  }
  if (spec.groups != 1) text += " groups=" + std::to_string(spec.groups);
  if (spec.kind == KernelKind::pooling) {
    text += spec.pooling == PoolingMode::max ? " max" : " average";
    if (spec.count_include_padding) text += " count_include_padding";
  }
  if (spec.bias) text += " bias";
  if (spec.relu) text += " relu";
  if (spec.residual) text += " residual";
  text += spec.precision == Precision::fp32 ? " fp32 " : " fp64 ";
  return text + std::string(to_text(spec.algorithm));
}

double flops(const KernelSpec& spec) {
  if (spec.kind != KernelKind::convolution) return passes(spec) * elements(spec.out);
  return 2.0 * elements(spec.out) * kernel_volume(spec.window) *
         static_cast<double>(spec.in[Dim::c]) / static_cast<double>(spec.groups);
}

double bytes(const KernelSpec& spec) {
  const auto size = static_cast<double>(bytes_per_element(spec.precision));
  if (spec.kind == KernelKind::convolution) {
    return size * (elements(spec.in) + elements(spec.out) + weight_elements(spec));
  }
  if (spec.kind == KernelKind::pooling) return size * (elements(spec.in) + 2 * elements(spec.out));
  return size * passes(spec) * elements(spec.out);
}

}  // namespace cnnplan
