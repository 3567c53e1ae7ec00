// Lists the kinds, phases and algorithms of kernels.
#pragma once

#include <array>

#include "planner/base/enumerators.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

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
                                  KernelKind::softmax_cross_entropy,
                                  KernelKind::mean_squared_error,
                                  KernelKind::accumulate,
                                  KernelKind::sgd};
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

template <>
struct Enumerators<KernelAlgorithm> {
  static constexpr std::array all{KernelAlgorithm::direct, KernelAlgorithm::winograd};
};

}  // namespace cnnplan
