// Lists the kinds, phases and algorithms of kernels, with their names.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"

namespace cnnplan {

// Each kind has a row in planner/kernel/kernel_kinds.cpp.
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

enum class KernelPhase {
  forward,
  backward_data,
  backward_filter,
  forward_statistics,
  backward_statistics,
  update,
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
