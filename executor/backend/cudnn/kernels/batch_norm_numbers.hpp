// Holds what the phases of batch norm share. Each phase first turns the sums into a few numbers per
// channel, then streams over the block. A thread keeps the numbers of its channels in registers and
// takes several positions.
#pragma once

#include <cmath>

#include "executor/backend/cudnn/kernels/column_sums.hpp"

namespace cnnplan::cudnn {

// A thread takes at most this number of positions, and nearly as many where there are enough. So it
// reads the numbers of its channels seldom.
inline constexpr std::int64_t positions_per_thread = 8;
// A phase needs at most this many numbers per channel.
inline constexpr std::int64_t most_numbers_per_channel = 5;

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
    const double variance = sums[channels + c] / count - mean * mean;
    return {mean, variance > 0.0 ? variance : 0.0};
  }
  CNNPLAN_HOST_DEVICE double inverse_deviation(double epsilon) const {
    return 1.0 / std::sqrt(variance + epsilon);
  }
};

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

// Returns number k of each of `width` channels from `channel` on. In `numbers`, number k of channel
// c is numbers[k * channels + c].
template <typename T, int width>
CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> numbers_of(const Computed<T>* numbers,
                                                          std::int64_t channels,
                                                          int k,
                                                          std::uint32_t channel) {
  return load<width>(numbers + k * channels + channel);
}

// Says which thread of a launch takes which positions and channels: a thread takes every
// threads_per_vector-th position, for one vector of channels.
struct Sweep {
  Divider vectors;
  std::uint32_t positions = 0;
  std::uint32_t threads_per_vector = 0;

  Sweep(std::int64_t position_count, std::int64_t vector_count)
      : vectors(vector_count),
        positions(static_cast<std::uint32_t>(position_count)),
        threads_per_vector(static_cast<std::uint32_t>((position_count + positions_per_thread - 1) /
                                                      positions_per_thread)) {}
  std::int64_t threads() const { return std::int64_t{threads_per_vector} * vectors.divisor(); }
};

// Is the body of a launch: a thread runs `row` for its vector of channels at all of its positions.
// A Row is a reader (batches.hpp) with void begin(uint32 first_channel) and void run(uint32
// position, Item).
template <int width, typename Row>
struct SweepRows {
  Sweep sweep;
  Row row;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [first, vector] = divide(index, sweep.vectors);
    Row own = row;
    own.begin(vector * width);
    for_each_item(own,
                  {first, sweep.threads_per_vector, sweep.positions},
                  [&own](std::uint32_t p, const auto& item) { own.run(p, item); });
  }
};

// Runs `row` for every position of a block of `shape`, for `width` channels at a time. It puts the
// work in `stream`. @pre width divides the channels @throws as launch()
template <int width, typename Row>
void sweep_rows(cudaStream_t stream, const Shape& shape, const Row& row) {
  const Positions positions(shape);
  if (positions.count() == 0) return;
  require_launchable(positions.count());
  const Sweep sweep(positions.count(), shape[Dim::c] / width);
  launch(stream, sweep.threads(), SweepRows<width, Row>{sweep, row});
}

}  // namespace cnnplan::cudnn
