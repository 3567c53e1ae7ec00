// Lists and names the enumerators that stand in JSON, tables and on the command line.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/network/halo_method.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/network/network.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

std::string_view to_text(Precision precision);
std::string_view to_text(PoolingMode mode);
std::string_view to_text(UpsampleMode mode);
std::string_view to_text(BatchNormStatistics statistics);

template <>
struct Enumerators<Precision> {
  static constexpr std::array all{
      Precision::fp32, Precision::fp64, Precision::tf32, Precision::bf16, Precision::fp16};
};

template <>
struct Enumerators<PoolingMode> {
  static constexpr std::array all{PoolingMode::max, PoolingMode::average};
};

template <>
struct Enumerators<UpsampleMode> {
  static constexpr std::array all{UpsampleMode::nearest, UpsampleMode::linear};
};

template <>
struct Enumerators<BatchNormStatistics> {
  static constexpr std::array all{
      BatchNormStatistics::local, BatchNormStatistics::spatial, BatchNormStatistics::global};
};

template <>
struct Enumerators<AllreduceAlgorithm> {
  static constexpr std::array all{AllreduceAlgorithm::ring,
                                  AllreduceAlgorithm::recursive_doubling,
                                  AllreduceAlgorithm::rabenseifner,
                                  AllreduceAlgorithm::hierarchical,
                                  AllreduceAlgorithm::library};
};

template <>
struct Enumerators<CollectiveKind> {
  static constexpr std::array all{
      CollectiveKind::allreduce, CollectiveKind::reduce_scatter, CollectiveKind::allgather};
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
