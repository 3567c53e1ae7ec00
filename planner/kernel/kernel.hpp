// What a kernel computes, on local shapes: the key under which it is timed, priced and built.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "planner/network/network.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

enum class KernelKind {
  convolution,
  bias,
  batch_norm,
  relu,
  pooling,
  upsample,
  interpolate,
  channel_shuffle,
  local_response_norm,
  add,
  dropout,
  softmax_cross_entropy,
  mean_squared_error,
  accumulate,
  sgd,
};

enum class KernelPhase {
  forward,
  backward_data,
  backward_filter,
  forward_statistics,
  backward_statistics,
  update,
};

// The most kernels that a plan may run at the same time on one rank.
inline constexpr int max_concurrency = 128;

// Which implementation runs. `direct` is the library's own choice of a direct method.
enum class KernelAlgorithm { direct, winograd };

// clang-format off
// Operands of each kind and phase, in order ([] = only with the flag; all activations are
// channels-last local blocks; "pitched" operands may be a block inside a larger buffer, all others
// are dense). Elements are those of the precision (tensor/element.hpp): of activations in x, y, dx,
// dy, dz, residual, a, b, weight and copies; of parameters in all others that name no type. The
// weight that a convolution reads is the copy where the precision has copies.
//   convolution forward            x, weight, [bias: bias], y;
//                                  y = relu?(x * weight + bias?)
//   convolution backward_data      dy, weight, dx
//   convolution backward_filter    x, dy, dweight, [bias: dbias]
//   bias forward                   x pitched, bias, y pitched; y = x + bias, y may be x
//   bias backward_filter           dy pitched, dbias; dbias is the sum of dy over its positions
//   batch_norm forward_statistics  x pitched, sums (2C+1 doubles: sum, sum of squares, count)
//   batch_norm forward             x pitched, sums, scale, shift, running_mean, running_variance,
//                                  [residual: residual pitched], y pitched
//                                  y = relu?(normalised x + residual?); running values are updated
//   batch_norm backward_statistics x pitched, dy pitched, [relu: y pitched], sums of forward,
//                                  gradient_sums (2C doubles: sum of dz, sum of dz * normalised x),
//                                  dscale, dshift, [residual: dz pitched]
//                                  dz = dy where y > 0 with relu, else dy; gradient_sums are local,
//                                  dscale and dshift are their rounded copies
//   batch_norm backward_data       x pitched, dz pitched (dy when not residual),
//                                  [relu without residual: y pitched], sums, gradient_sums, scale,
//                                  dx pitched
//   relu forward                   x pitched, y pitched; y = min(max(x, 0), relu_max)
//   relu backward_data             y pitched, dy pitched, dx pitched;
//                                  dx = dy where 0 < y < relu_max
//   pooling forward                x, y, [max: index (as many int32 as y)]
//   pooling backward_data          [max: index], dy, dx
//   upsample forward               x pitched, y pitched
//   upsample backward_data         dy pitched, dx pitched; dx is the sum of its repetitions
//   interpolate forward            x pitched, y pitched; linear, as `axes` says
//   interpolate backward_data      dy pitched, dx pitched
//   channel_shuffle forward        x pitched, y pitched; of C channels, y j * groups + i is
//                                  x i * (C / groups) + j
//   channel_shuffle backward_data  dy pitched, dx pitched
//   local_response_norm forward    x pitched, y pitched; s = response_k + response_scale * sum of
//                                  squares of the local_size channels around x, (local_size - 1)
//                                  / 2 of them before it; y = x s^-response_beta
//   local_response_norm backward_data
//                                  x pitched, dy pitched, dx pitched
//   add forward                    a pitched, b pitched, y pitched; y = relu?(a + add_scale b)
//   add backward_data              dy pitched, dx pitched; dx = add_scale dy, of the second input
//   dropout forward                x pitched, y pitched
//   dropout backward_data          dy pitched, dx pitched
//   softmax_cross_entropy forward  x pitched, labels (int32, one per position of the block),
//                                  probabilities dense, loss (1 double: sum over the block / count)
//   softmax_cross_entropy backward_data
//                                  probabilities dense, labels, dx pitched; the gradient of the
//                                  mean over `count` positions, times the loss scale of the step
//   mean_squared_error forward     x pitched, targets dense, differences dense (x - target),
//                                  loss (1 double: sum of their squares / count)
//   mean_squared_error backward_data
//                                  differences dense, dx pitched; the gradient of the mean over
//                                  `count` elements, times the loss scale of the step
//   accumulate forward             a pitched, b pitched, y pitched; y = a + b, y may be a or b
//   sgd update                     weight (in the element of parameters), gradient, momentum,
//                                  [precision with weight copies: copies, written];
//                                  all flat, out = (1,1,1,1,elements)
// Where a kernel has relu without residual in batch_norm the mask is y > 0.
// clang-format on
struct KernelSpec {
  KernelKind kind = KernelKind::convolution;
  KernelPhase phase = KernelPhase::forward;
  Shape in;   // local input block, halo included, padding not
  Shape out;  // local output block
  // With the padding of this block; default where the kind has none. Of an upsampling, the window
  // that goes back from y to x: kernel and stride are the factor, and the padding is what repeats
  // the first and the last input outside this block. Of an interpolation, twice the factor and the
  // factor, without padding, where the factor is not 1.
  Window window;
  std::int64_t groups = 1;
  std::int64_t local_size = 1;  // channels that a local response norm sums
  PoolingMode pooling = PoolingMode::max;
  bool count_include_padding = false;
  bool bias = false;
  bool relu = false;      // fused
  bool residual = false;  // fused
  Precision precision = Precision::fp32;
  KernelAlgorithm algorithm = KernelAlgorithm::direct;
  // Kernels that the rank runs at the same time, this one among them: they share the device, so
  // each takes longer. Does not change what is computed.
  int concurrency = 1;

  auto operator<=>(const KernelSpec&) const = default;
};

// Numbers that a kernel needs and that do not change its time.
struct KernelConstants {
  double epsilon = 0.0;           // batch norm
  double running_momentum = 0.0;  // batch norm
  double dropout_rate = 0.0;
  double relu_max = std::numeric_limits<double>::infinity();  // a kernel of its own only
  double add_scale = 1.0;                                     // add: of the second input
  // local response norm: unless given, those that most networks have, as another beta takes longer
  double response_scale = 2e-5;
  double response_beta = 0.75;
  double response_k = 1.0;
  // interpolate: d, h, w; where step and begin are 0, every output is the first input
  std::array<InterpolationAxis, 3> axes{};
  std::uint64_t random_stream = 0;  // dropout: the layer index
  double loss_count = 1.0;  // positions or elements that the loss is a mean of, by its weight
  bool replicated = false;  // other ranks compute the same and must get the same bits
  auto operator<=>(const KernelConstants&) const = default;
};

// The same for mirrored blocks: the first and the last rank of a split take equally long, so
// padding_begin <= padding_end in every dim.
KernelSpec canonical(KernelSpec spec);
// The same with no other beside it.
KernelSpec alone(KernelSpec spec);
// Unique readable key, e.g. "convolution/forward in=4x64x1x29x56 out=4x64x1x28x56 k=1x3x3 ...".
std::string to_text(const KernelSpec& spec);
// Elements of the weight of a convolution: (F, C/groups, KD, KH, KW).
// @throws InputError when they are more than 64 bits can count
std::int64_t weight_volume(const KernelSpec& convolution);
// Floating-point operations (a multiply-add counts two) and bytes that must move at least.
double flops(const KernelSpec& spec);
double bytes(const KernelSpec& spec);

std::string_view to_text(KernelKind kind);
std::string_view to_text(KernelPhase phase);
std::string_view to_text(KernelAlgorithm algorithm);

}  // namespace cnnplan
