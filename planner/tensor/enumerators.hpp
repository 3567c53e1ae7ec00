// Lists all values of precisions, interpolations and collectives, and names precisions and
// interpolations. collective.hpp names the others.
#pragma once

#include <array>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/upsampling.hpp"

namespace cnnplan {

std::string_view to_text(Precision precision);
std::string_view to_text(UpsampleMode mode);

template <>
struct Enumerators<Precision> {
  static constexpr std::array all{
      Precision::fp32, Precision::fp64, Precision::tf32, Precision::bf16, Precision::fp16};
};

template <>
struct Enumerators<UpsampleMode> {
  static constexpr std::array all{UpsampleMode::nearest, UpsampleMode::linear};
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

}  // namespace cnnplan
