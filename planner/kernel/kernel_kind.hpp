// Lists the kinds, phases and algorithms of kernels, with their names.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"

namespace cnnplan {

// Names what a kernel computes. The formulas of each kind stand at its row in
// planner/kernel/kernel_kinds.cpp. A layer may need several kinds, and four kinds belong to no
// layer of their name. `bias` adds the bias of a convolution or computes its gradient, and
// `interpolate` is a linear upsampling. `accumulate` adds two blocks, and `sgd` updates parameters.
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
  leaky_relu,
  pointwise,
  softmax_cross_entropy,
  mean_squared_error,
  accumulate,
  sgd,
};

template <>
struct Enumerators<KernelKind> {
  static constexpr std::array all{KernelKind::convolution,
                                  KernelKind::bias,
                                  KernelKind::batch_norm,
                                  KernelKind::relu,
                                  KernelKind::pooling,
                                  KernelKind::upsample,
                                  KernelKind::interpolate,
                                  KernelKind::channel_shuffle,
                                  KernelKind::local_response_norm,
                                  KernelKind::add,
                                  KernelKind::dropout,
                                  KernelKind::leaky_relu,
                                  KernelKind::pointwise,
                                  KernelKind::softmax_cross_entropy,
                                  KernelKind::mean_squared_error,
                                  KernelKind::accumulate,
                                  KernelKind::sgd};
};

// Names what of its kind a kernel computes. row_of(kind) lists the phases that a kind has.
enum class KernelPhase {
  forward,              // the output y
  backward_data,        // dx, the error signal of the input
  backward_filter,      // the gradients of the weight and the bias
  forward_statistics,   // a batch norm's sums of x and x^2, before they are reduced over ranks
  backward_statistics,  // a batch norm's sums over the error signal, before they are reduced
  update,               // the parameters and their momentum, at the end of the step
};

template <>
struct Enumerators<KernelPhase> {
  static constexpr std::array all{KernelPhase::forward,
                                  KernelPhase::backward_data,
                                  KernelPhase::backward_filter,
                                  KernelPhase::forward_statistics,
                                  KernelPhase::backward_statistics,
                                  KernelPhase::update};
};

// Names the method of a convolution. With `direct`, the library chooses one of its direct methods.
// All other kinds are `direct`.
enum class KernelAlgorithm { direct, winograd };

template <>
struct Enumerators<KernelAlgorithm> {
  static constexpr std::array all{KernelAlgorithm::direct, KernelAlgorithm::winograd};
};

std::string_view to_text(KernelKind kind);
std::string_view to_text(KernelPhase phase);
std::string_view to_text(KernelAlgorithm algorithm);

}  // namespace cnnplan
