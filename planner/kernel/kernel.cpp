// Keys, work and traffic of kernels.
#include "planner/kernel/kernel.hpp"

#include <algorithm>
#include <array>

#include "planner/base/checked.hpp"
#include "planner/tensor/enumerators.hpp"

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
  if (spec.kind == KernelKind::bias) return spec.phase == KernelPhase::forward ? 2.0 : 1.0;
  const double extra = (spec.relu ? 1.0 : 0.0) + (spec.residual ? 1.0 : 0.0);
  switch (spec.phase) {
    case KernelPhase::forward_statistics:
      return 1.0;
    case KernelPhase::backward_statistics:
      return 2.0 + extra;
    case KernelPhase::update:
      return 5.0;
    case KernelPhase::forward:
      return spec.kind == KernelKind::add || spec.kind == KernelKind::accumulate ||
                     spec.kind == KernelKind::mean_squared_error
                 ? 3.0
                 : 2.0 + (spec.residual ? 1.0 : 0.0);
    case KernelPhase::backward_data:
      if (spec.kind == KernelKind::add || spec.kind == KernelKind::channel_shuffle ||
          spec.kind == KernelKind::mean_squared_error) {
        return 2.0;
      }
      [[fallthrough]];
    default:
      return 3.0 + (spec.relu && !spec.residual ? 1.0 : 0.0);
  }
}

bool has_window(KernelKind kind) {
  return kind == KernelKind::convolution || kind == KernelKind::pooling ||
         kind == KernelKind::upsample || kind == KernelKind::interpolate;
}

// Inputs around an output.
double inputs_around(const KernelSpec& spec) {
  double product = 1.0;
  for (const WindowDim& dim : spec.window.dims) product *= dim.kernel > 1 ? 2.0 : 1.0;
  return product;
}

}  // namespace

std::string_view to_text(KernelKind kind) {
  constexpr std::array<std::string_view, 15> names{"convolution",
                                                   "bias",
                                                   "batch_norm",
                                                   "relu",
                                                   "pooling",
                                                   "upsample",
                                                   "interpolate",
                                                   "channel_shuffle",
                                                   "local_response_norm",
                                                   "add",
                                                   "dropout",
                                                   "softmax_cross_entropy",
                                                   "mean_squared_error",
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

KernelSpec alone(KernelSpec spec) {
  spec.concurrency = 1;
  return spec;
}

std::string to_text(const KernelSpec& spec) {
  std::string text = std::string(to_text(spec.kind)) + '/' + std::string(to_text(spec.phase)) +
                     " in=" + to_text(spec.in) + " out=" + to_text(spec.out);
  if (has_window(spec.kind)) {
    text += " kernel=" + triple(spec.window, &WindowDim::kernel) +
            " stride=" + triple(spec.window, &WindowDim::stride) +
            " padding=" + triple(spec.window, &WindowDim::padding_begin) + ':' +
            triple(spec.window, &WindowDim::padding_end) +
            " dilation=" + triple(spec.window, &WindowDim::dilation);
  }
  if (spec.local_size != 1) text += " local_size=" + std::to_string(spec.local_size);
  if (spec.groups != 1) text += " groups=" + std::to_string(spec.groups);
  if (spec.kind == KernelKind::pooling) {
    text += spec.pooling == PoolingMode::max ? " max" : " average";
    if (spec.count_include_padding) text += " count_include_padding";
  }
  if (spec.bias) text += " bias";
  if (spec.relu) text += " relu";
  if (spec.residual) text += " residual";
  text += ' ' + std::string(to_text(spec.precision)) + ' ';
  text += std::string(to_text(spec.algorithm));
  if (spec.concurrency != 1) text += " concurrency=" + std::to_string(spec.concurrency);
  return text;
}

std::int64_t weight_volume(const KernelSpec& convolution) {
  std::int64_t elements =
      checked_multiply(convolution.out[Dim::c], convolution.in[Dim::c] / convolution.groups);
  for (const WindowDim& dim : convolution.window.dims) {
    elements = checked_multiply(elements, dim.kernel);
  }
  return elements;
}

double flops(const KernelSpec& spec) {
  if (spec.kind == KernelKind::upsample) return elements(spec.out);
  if (spec.kind == KernelKind::interpolate) return 2.0 * inputs_around(spec) * elements(spec.out);
  if (spec.kind == KernelKind::local_response_norm) {
    // A sum of squares and a power; backwards another sum.
    const double sums = spec.phase == KernelPhase::forward ? 1.0 : 2.0;
    return sums * (2.0 * static_cast<double>(spec.local_size) + 2.0) * elements(spec.out);
  }
  if (spec.kind != KernelKind::convolution) return passes(spec) * elements(spec.out);
  return 2.0 * elements(spec.out) * kernel_volume(spec.window) *
         static_cast<double>(spec.in[Dim::c]) / static_cast<double>(spec.groups);
}

double bytes(const KernelSpec& spec) {
  const auto activation = static_cast<double>(activation_bytes(spec.precision));
  const auto parameter = static_cast<double>(parameter_bytes(spec.precision));
  const double out = elements(spec.out);
  switch (spec.kind) {
    case KernelKind::convolution: {
      const bool is_gradient = spec.phase == KernelPhase::backward_filter;
      return activation * (elements(spec.in) + out) +
             (is_gradient ? parameter : activation) * weight_elements(spec);
    }
    case KernelKind::pooling:  // the places of maxima count like parameters
      return activation * (elements(spec.in) + out) + parameter * out;
    case KernelKind::upsample:
    case KernelKind::interpolate:
      return activation * (elements(spec.in) + out);
    case KernelKind::mean_squared_error:  // activations once, the others are as wide as parameters
      return (activation + parameter * (passes(spec) - 1.0)) * out;
    case KernelKind::softmax_cross_entropy:  // one pass is over the probabilities
      return (activation * (passes(spec) - 1.0) + parameter) * out;
    case KernelKind::sgd:
      return (parameter * passes(spec) + (has_weight_copies(spec.precision) ? activation : 0.0)) *
             out;
    default:
      return activation * passes(spec) * out;
  }
}

}  // namespace cnnplan
