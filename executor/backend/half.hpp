// Defines 16-bit floating-point numbers as they lie in memory. Arithmetic is done in float. A GPU
// converts them by its own instructions: without these, conversions take longer than the accesses
// to memory.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include "executor/backend/host_device.hpp"

namespace cnnplan {

// Holds a bfloat16 number, which has 8 exponent and 7 fraction bits: the upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  // Rounds to nearest, ties to even. Not-a-number stays not-a-number.
  CNNPLAN_HOST_DEVICE explicit constexpr BFloat16(float value) : bits(rounded(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): this is exact, as from float to double
  CNNPLAN_HOST_DEVICE constexpr operator float() const {
    const std::uint32_t wide = bits;
    return std::bit_cast<float>(wide << 16);
  }

 private:
  CNNPLAN_HOST_DEVICE static constexpr std::uint16_t rounded(float value) {
#ifdef __CUDA_ARCH__
    if (!std::is_constant_evaluated()) return __nv_bfloat16_raw(__float2bfloat16_rn(value)).x;
#endif
    const auto wide = std::bit_cast<std::uint32_t>(value);
    if ((wide & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((wide >> 16) | 0x40U);
    const std::uint32_t tie_to_even = 0x7fffU + ((wide >> 16) & 1U);
    return static_cast<std::uint16_t>((wide + tie_to_even) >> 16);
  }
};

// Holds an IEEE 754 binary16 number, which has 5 exponent and 10 fraction bits.
struct Float16 {
  std::uint16_t bits = 0;

  Float16() = default;
  // Rounds to nearest, ties to even. Numbers that are too large become infinity. Not-a-number stays
  // not-a-number.
  CNNPLAN_HOST_DEVICE explicit constexpr Float16(float value) : bits(rounded(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): this is exact, as from float to double
  CNNPLAN_HOST_DEVICE constexpr operator float() const {
#ifdef __CUDA_ARCH__
    if (!std::is_constant_evaluated()) return __half2float(__half_raw{bits});
#endif
    const std::uint32_t wide = bits;
    const std::uint32_t sign = (wide & 0x8000U) << 16;
    const std::uint32_t magnitude = (wide & 0x7fffU) << 13;
    if (magnitude >= (0x7c00U << 13)) {
      return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x7fffffU));
    }
    // A subnormal number is a multiple of 2^-24. The exponent field of any other number is 112
    // smaller than that of the equal float (the biases are 15 and 127).
    const float value = magnitude < (0x400U << 13)
                            ? static_cast<float>(magnitude >> 13) * 0x1.0p-24F
                            : std::bit_cast<float>(magnitude + (112U << 23));
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }

 private:
  CNNPLAN_HOST_DEVICE static constexpr std::uint16_t rounded(float value) {
#ifdef __CUDA_ARCH__
    if (!std::is_constant_evaluated()) return __half_raw(__float2half_rn(value)).x;
#endif
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((wide >> 16) & 0x8000U);
    const std::uint32_t magnitude = wide & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
    if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (magnitude < 0x38800000U) return static_cast<std::uint16_t>(sign | subnormal(magnitude));
    const std::uint32_t shifted = magnitude - 0x38000000U;  // the exponent field is 112 smaller
    const std::uint32_t tie_to_even = 0xfffU + ((shifted >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((shifted + tie_to_even) >> 13));
  }
  // Returns the bits of a number below 2^-14, which are its multiple of 2^-24. The last bit of a
  // float from 0.5 to 1 is 2^-24, so adding 0.5 rounds to this multiple.
  CNNPLAN_HOST_DEVICE static constexpr std::uint32_t subnormal(std::uint32_t magnitude) {
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    return std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5F);
  }
};

}  // namespace cnnplan
