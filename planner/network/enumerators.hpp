// Lists the enumerators that parameters of layers and of chains have.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/network/halo_method.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

std::string_view to_text(PoolingMode mode);
std::string_view to_text(BatchNormStatistics statistics);

template <>
struct Enumerators<PoolingMode> {
  static constexpr std::array all{PoolingMode::max, PoolingMode::average};
};

template <>
struct Enumerators<BatchNormStatistics> {
  static constexpr std::array all{
      BatchNormStatistics::local, BatchNormStatistics::spatial, BatchNormStatistics::global};
};

template <>
struct Enumerators<ChannelAlgorithm> {
  static constexpr std::array all{ChannelAlgorithm::stationary_y,
                                  ChannelAlgorithm::stationary_x,
                                  ChannelAlgorithm::stationary_w};
};

template <>
struct Enumerators<HaloMethod> {
  static constexpr std::array all{HaloMethod::exchange_first, HaloMethod::interior_strips};
};

template <>
struct Enumerators<Relaxation> {
  static constexpr std::array all{Relaxation::f, Relaxation::fcf};
};

template <>
struct Enumerators<FirstGuess> {
  static constexpr std::array all{FirstGuess::coarse, FirstGuess::previous};
};

}  // namespace cnnplan
