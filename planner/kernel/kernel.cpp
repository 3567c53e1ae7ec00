// Writes keys of kernels as text, and looks names and work up in the table of kinds.
#include "planner/kernel/kernel.hpp"

#include <algorithm>
#include <array>

#include "planner/base/checked.hpp"
#include "planner/kernel/kernel_kinds.hpp"
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

}  // namespace

std::string_view to_text(KernelKind kind) {
  return row_of(kind).name;
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

std::string_view to_text(DeviceKind kind) {
  return kind == DeviceKind::cpu ? "cpu" : "gpu";
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
  if (row_of(spec.kind).has_window) {
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
  if (spec.second_dy) text += " second_dy";
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
  return row_of(spec.kind).flops(spec);
}

double bytes(const KernelSpec& spec) {
  return row_of(spec.kind).bytes(spec);
}

double bytes(const KernelSpec& spec, DeviceKind device) {
  const KernelKindRow& row = row_of(spec.kind);
  const bool has_less = device == DeviceKind::gpu && row.unmoved_by_gpu != nullptr;
  return row.bytes(spec) - (has_less ? row.unmoved_by_gpu(spec) : 0.0);
}

std::int64_t stored_channels(std::int64_t channels, ElementType element, DeviceKind device) {
  constexpr std::int64_t channels_of_engines = 8;
  constexpr std::int64_t bytes_of_half = 2;
  const bool has_few = channels > 0 && channels < channels_of_engines;
  const bool adds = device == DeviceKind::gpu && bytes_of(element) == bytes_of_half && has_few;
  return adds ? channels_of_engines : channels;
}

}  // namespace cnnplan
