// Holds what the phases of batch norm share. In each phase, a block of threads first computes a few
// numbers for each channel of its tile (tiles.hpp), then streams over its positions. A thread keeps
// the numbers of its channels in registers.
#pragma once

#include <cmath>
#include <cstdint>

#include "executor/backend/cudnn/kernels/tiles.hpp"

namespace cnnplan::cudnn {

// Computes a * b + c. A GPU rounds once, in every kernel. Without this function, the compiler would
// choose for each kernel whether it rounds the product.
template <typename Number>
CNNPLAN_HOST_DEVICE Number multiply_add(Number a, Number b, Number c) {
#ifdef __CUDA_ARCH__
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Holds the mean and the variance of a channel. of() computes them for channel c from the operand
// `sums` of the phase forward_statistics, which are doubles: C sums, C sums of squares, and the
// number of terms.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;  // biased: the sum is divided by the number of terms

  CNNPLAN_HOST_DEVICE static Moments of(const double* sums,
                                        std::int64_t channels,
                                        std::uint32_t c) {
    const double count = sums[2 * channels];
    const double mean = sums[c] / count;
    const double variance = multiply_add(-mean, mean, sums[channels + c] / count);
    return {mean, variance > 0.0 ? variance : 0.0};
  }
  CNNPLAN_HOST_DEVICE double inverse_deviation(double epsilon) const {
    return 1.0 / std::sqrt(variance + epsilon);
  }
};

// Computes y = (x - mean) * factor + shift for a vector of channels. The backward pass finds with
// it whether the forward pass stored an output above 0, to the last bit.
template <typename T, int width>
struct Normalisation {
  using Real = Computed<T>;

  Vector<Real, width> mean = {};
  Vector<Real, width> factor = {};
  Vector<Real, width> shift = {};

  CNNPLAN_HOST_DEVICE Real value(Real x, int i) const {
    return multiply_add(x - mean.values[i], factor.values[i], shift.values[i]);
  }
  // Returns whether y is above 0 after it was rounded to T.
  CNNPLAN_HOST_DEVICE bool is_positive(Real x, int i) const {
    return static_cast<Real>(static_cast<T>(value(x, i))) > Real{0};
  }
};

// This number of channels share a byte of a mask.
inline constexpr int mask_channels = 8;

// Returns a byte that has a bit for each channel, from the lowest bit on: whether it is above 0.
template <typename T>
CNNPLAN_HOST_DEVICE Vector<std::uint8_t, 1> positive_bits(const Vector<T, mask_channels>& output) {
  unsigned bits = 0;
  for (int i = 0; i < mask_channels; ++i) {
    const Computed<T> value = output.values[i];
    if (value > Computed<T>{0}) bits |= 1U << i;
  }
  return {{static_cast<std::uint8_t>(bits)}};
}

// Views the mask of a dense block. Byte may be const.
template <typename Byte>
struct MaskBlock {
  Byte* data = nullptr;
  std::uint32_t bytes_per_position = 0;

  MaskBlock() = default;
  MaskBlock(const TensorView& mask, std::int64_t channels)
      : data(mask.as<Byte>()),
        bytes_per_position(static_cast<std::uint32_t>(channels / mask_channels)) {}

  // Returns the byte of `channel` and its neighbours. Positions are numbered as in Positions.
  CNNPLAN_HOST_DEVICE Byte* at(std::uint32_t position, std::uint32_t channel) const {
    return data + std::uint64_t{position} * bytes_per_position + channel / mask_channels;
  }
};

}  // namespace cnnplan::cudnn
