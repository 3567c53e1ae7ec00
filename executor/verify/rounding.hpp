// Says how large the rounding of an element is.
#pragma once

#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the largest relative error when a number is rounded to the element.
constexpr double unit_rounding(ElementType element) {
  switch (element) {
    case ElementType::fp64:
      return 0x1p-53;
    case ElementType::fp32:
      return 0x1p-24;
    case ElementType::fp16:
      return 0x1p-11;
    case ElementType::bf16:
      break;
  }
  return 0x1p-8;
}

// Returns a number so small that numbers below it become 0 or lose digits when they are rounded to
// the element.
constexpr double lost_number(ElementType element) {
  switch (element) {
    case ElementType::fp64:
      return 0x1p-1022;
    case ElementType::fp16:
      return 0x1p-24;
    default:
      return 0x1p-126;
  }
}

// Returns the rounding of the sums in kernels. Kernels on 16-bit elements sum in fp32. In fp64, the
// steps that others are compared with round, too, so it is a few roundings.
constexpr double sum_rounding(Precision precision) {
  return precision == Precision::fp64 ? 0x1p-51 : 0x1p-24;
}

// Returns the rounding of the factors in the products of a convolution, in addition to the rounding
// of the stored operands.
constexpr double factor_rounding(Precision precision) {
  return precision == Precision::tf32 ? 0x1p-11 : 0.0;
}

}  // namespace cnnplan
