// Counts the operations and bytes of each kind of kernel.
#include "planner/kernel/kernel_work.hpp"

#include "planner/kernel/kernel_kinds.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {
namespace {

constexpr double bits_of_byte = 8.0;

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

double passes(const KernelSpec& spec) {
  const PhaseRow& phase = phase_of(spec);
  return phase.passes + (phase.more_passes == nullptr ? 0.0 : phase.more_passes(spec));
}

// Returns how many inputs an output is interpolated from.
double inputs_around(const KernelSpec& spec) {
  double product = 1.0;
  for (const WindowDim& dim : spec.window.dims) product *= dim.kernel > 1 ? 2.0 : 1.0;
  return product;
}

double activation(const KernelSpec& spec) {
  return static_cast<double>(activation_bytes(spec.precision));
}

double parameter(const KernelSpec& spec) {
  return static_cast<double>(parameter_bytes(spec.precision));
}

}  // namespace

double pass_flops(const KernelSpec& spec) {
  return passes(spec) * elements(spec.out);
}

double pass_bytes(const KernelSpec& spec) {
  return activation(spec) * passes(spec) * elements(spec.out);
}

double third_pass_bytes(const KernelSpec& spec) {
  return spec.phase == KernelPhase::backward_data ? activation(spec) * elements(spec.out) : 0.0;
}

double convolution_flops(const KernelSpec& spec) {
  return 2.0 * elements(spec.out) * kernel_volume(spec.window) *
         static_cast<double>(spec.in[Dim::c]) / static_cast<double>(spec.groups);
}

double convolution_bytes(const KernelSpec& spec) {
  const bool is_gradient = spec.phase == KernelPhase::backward_filter;
  return block_bytes(spec) +
         (is_gradient ? parameter(spec) : activation(spec)) * weight_elements(spec);
}

double pooling_bytes(const KernelSpec& spec) {
  return block_bytes(spec) + parameter(spec) * elements(spec.out);
}

double pooling_unmoved_by_gpu(const KernelSpec& spec) {
  const bool is_small = kernel_volume(spec.window) <= static_cast<double>(most_small_taps);
  const double small = sizeof(std::uint8_t);
  const double large = sizeof(std::int32_t);
  const double place = spec.pooling != PoolingMode::max ? 0.0 : is_small ? small : large;
  return (parameter(spec) - place) * elements(spec.out);
}

bool keeps_dz(const KernelSpec& spec) {
  return spec.residual || spec.second_dy;
}

bool masks(const KernelSpec& spec) {
  return spec.relu && !keeps_dz(spec);
}

bool has_mask(const KernelSpec& spec) {
  const bool moves_outputs =
      spec.phase == KernelPhase::forward || spec.phase == KernelPhase::backward_statistics;
  return moves_outputs && spec.relu && spec.residual && spec.out[Dim::c] % bits_of_word == 0 &&
         has_weight_copies(spec.precision);
}

double batch_norm_unmoved_by_gpu(const KernelSpec& spec) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  const bool is_backward =
      spec.phase == KernelPhase::backward_statistics || spec.phase == KernelPhase::backward_data;
  const double of_mask = has_mask(spec) ? elements(spec.out) / bits_of_byte : 0.0;
  const bool leaves_output = is_backward && (masks(spec) || has_mask(spec));
  if (is_forward) return -of_mask;
  return leaves_output ? activation(spec) * elements(spec.out) - of_mask : 0.0;
}

double upsample_flops(const KernelSpec& spec) {
  return elements(spec.out);
}

double interpolate_flops(const KernelSpec& spec) {
  return 2.0 * inputs_around(spec) * elements(spec.out);
}

double block_bytes(const KernelSpec& spec) {
  return activation(spec) * (elements(spec.in) + elements(spec.out));
}

// A forward pass takes a sum of squares and a power, a backward pass another sum.
double local_response_norm_flops(const KernelSpec& spec) {
  const double sums = spec.phase == KernelPhase::forward ? 1.0 : 2.0;
  return sums * (2.0 * static_cast<double>(spec.local_size) + 2.0) * elements(spec.out);
}

// The passes over the last input and its gradient have the shape of this input.
double pointwise_bytes(const KernelSpec& spec) {
  const double of_input = spec.phase == KernelPhase::forward ? 1.0 : 2.0;
  return activation(spec) *
         (of_input * elements(spec.in) + (passes(spec) - of_input) * elements(spec.out));
}

// One pass is over the probabilities.
double softmax_bytes(const KernelSpec& spec) {
  return (activation(spec) * (passes(spec) - 1.0) + parameter(spec)) * elements(spec.out);
}

// One pass is over activations, and the others are over elements as wide as parameters.
double squared_error_bytes(const KernelSpec& spec) {
  return (activation(spec) + parameter(spec) * (passes(spec) - 1.0)) * elements(spec.out);
}

double sgd_bytes(const KernelSpec& spec) {
  const double copies = has_weight_copies(spec.precision) ? activation(spec) : 0.0;
  return (parameter(spec) * passes(spec) + copies) * elements(spec.out);
}

}  // namespace cnnplan
