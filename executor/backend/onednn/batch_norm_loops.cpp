// Each loop is compiled for several instruction sets, and for each combination of its options.
#include "executor/backend/onednn/batch_norm_loops.hpp"

#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

#define CNNPLAN_BODY inline __attribute__((always_inline))

// Positions summed before the sums in memory are touched, read side by side by the prefetcher.
constexpr std::int64_t tile = 8;

template <int positions>
CNNPLAN_BODY void moments_tile(std::int64_t channels,
                               const float* __restrict x,
                               double* __restrict sum,
                               double* __restrict square) {
  for (std::int64_t c = 0; c < channels; ++c) {
    double tile_sum = 0.0;
    double tile_square = 0.0;
    for (int i = 0; i < positions; ++i) {
      const auto value = static_cast<double>(x[i * channels + c]);
      tile_sum += value;
      tile_square += value * value;
    }
    sum[c] += tile_sum;
    square[c] += tile_square;
  }
}

template <bool relu, bool residual>
CNNPLAN_BODY void normalise_body(
    RunSize size, const Normalisation& by, const float* x, const float* added, float* y) {
  for (std::int64_t i = 0; i < size.positions * size.channels; i += size.channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < size.channels; ++c) {
      float value = (x[i + c] - by.mean[c]) * by.factor[c] + by.shift[c];
      if constexpr (residual) value += added[i + c];
      if constexpr (relu) value = value > 0.0F ? value : 0.0F;
      y[i + c] = value;
    }
  }
}

template <int positions, bool relu, bool keep>
CNNPLAN_BODY void gradient_tile(std::int64_t channels,
                                const GradientRun& run,
                                const GradientSums& sums) {
  const float* __restrict mean = sums.mean;
  double* __restrict gradient = sums.gradient;
  double* __restrict product = sums.product;
  CNNPLAN_INDEPENDENT
  for (std::int64_t c = 0; c < channels; ++c) {
    double tile_gradient = 0.0;
    double tile_product = 0.0;
    for (int i = 0; i < positions; ++i) {
      const std::int64_t at = i * channels + c;
      float dz = run.dy[at];
      if constexpr (relu) dz = run.y[at] > 0.0F ? dz : 0.0F;
      if constexpr (keep) run.dz[at] = dz;
      tile_gradient += static_cast<double>(dz);
      tile_product += static_cast<double>(dz * (run.x[at] - mean[c]));
    }
    gradient[c] += tile_gradient;
    product[c] += tile_product;
  }
}

template <bool relu, bool keep>
CNNPLAN_BODY void gradient_body(RunSize size, GradientRun run, const GradientSums& sums) {
  const auto advance = [&](std::int64_t positions) {
    run.x += positions * size.channels;
    run.dy += positions * size.channels;
    if constexpr (relu) run.y += positions * size.channels;
    if constexpr (keep) run.dz += positions * size.channels;
  };
  std::int64_t left = size.positions;
  for (; left >= tile; left -= tile) {
    gradient_tile<tile, relu, keep>(size.channels, run, sums);
    advance(tile);
  }
  for (; left > 0; --left) {
    gradient_tile<1, relu, keep>(size.channels, run, sums);
    advance(1);
  }
}

template <bool relu>
CNNPLAN_BODY void transform_body(RunSize size,
                                 const GradientTransform& by,
                                 const float* x,
                                 const float* dy,
                                 const float* y,
                                 float* dx) {
  for (std::int64_t i = 0; i < size.positions * size.channels; i += size.channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < size.channels; ++c) {
      float dz = dy[i + c];
      if constexpr (relu) dz = y[i + c] > 0.0F ? dz : 0.0F;
      dx[i + c] = (dz - by.offset[c] - (x[i + c] - by.mean[c]) * by.slope[c]) * by.factor[c];
    }
  }
}

}  // namespace

CNNPLAN_VECTORIZED void add_moments(RunSize size, const float* x, double* sum, double* square) {
  std::int64_t i = 0;
  for (; i + tile <= size.positions; i += tile) {
    moments_tile<tile>(size.channels, x + i * size.channels, sum, square);
  }
  for (; i < size.positions; ++i) {
    moments_tile<1>(size.channels, x + i * size.channels, sum, square);
  }
}

CNNPLAN_VECTORIZED void normalise(RunSize size,
                                  const Normalisation& by,
                                  const float* x,
                                  const float* residual,
                                  bool relu,
                                  float* y) {
  if (relu && residual) {
    normalise_body<true, true>(size, by, x, residual, y);
  } else if (relu) {
    normalise_body<true, false>(size, by, x, residual, y);
  } else if (residual) {
    normalise_body<false, true>(size, by, x, residual, y);
  } else {
    normalise_body<false, false>(size, by, x, residual, y);
  }
}

CNNPLAN_VECTORIZED void add_gradient_sums(RunSize size,
                                          const GradientRun& run,
                                          const GradientSums& sums) {
  if (run.y && run.dz) {
    gradient_body<true, true>(size, run, sums);
  } else if (run.y) {
    gradient_body<true, false>(size, run, sums);
  } else if (run.dz) {
    gradient_body<false, true>(size, run, sums);
  } else {
    gradient_body<false, false>(size, run, sums);
  }
}

CNNPLAN_VECTORIZED void transform_gradient(RunSize size,
                                           const GradientTransform& by,
                                           const float* x,
                                           const float* dy,
                                           const float* y,
                                           float* dx) {
  if (y) {
    transform_body<true>(size, by, x, dy, y, dx);
  } else {
    transform_body<false>(size, by, x, dy, y, dx);
  }
}

}  // namespace cnnplan::onednn
