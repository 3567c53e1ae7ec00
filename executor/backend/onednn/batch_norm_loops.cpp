// Has a version of each loop for each instruction set (vectorize.hpp) and each combination of its
// options.
#include "executor/backend/onednn/batch_norm_loops.hpp"

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// This number of positions is summed in registers. The prefetcher follows no more streams.
constexpr std::int64_t moments_positions = 8;
constexpr std::int64_t gradient_positions = 4;
// Calls f(EightLanes or OneLane, channel) so that all channels are covered.
template <typename F>
CNNPLAN_INLINE void for_each_channel(std::int64_t channels, F f) {
  std::int64_t c = 0;
  for (; c + EightLanes::count <= channels; c += EightLanes::count) f(EightLanes{}, c);
  for (; c < channels; ++c) f(OneLane{}, c);
}

template <int positions, typename Width, typename T>
CNNPLAN_INLINE void moments_tile(std::int64_t channels, const T* x, double* sum, double* square) {
  typename Width::Doubles tile_sum{};
  typename Width::Doubles tile_square{};
  for (int i = 0; i < positions; ++i) {
    typename Width::Floats narrow;
    typename Width::Doubles value;
    load(narrow, x + i * channels);
    widen<Width>(value, narrow);
    tile_sum += value;
    tile_square += value * value;
  }
  add_to(sum, tile_sum);
  add_to(square, tile_square);
}

template <int positions, typename T>
CNNPLAN_INLINE void moments_of_positions(std::int64_t channels,
                                         const T* x,
                                         double* sum,
                                         double* square) {
  for_each_channel(
      channels, [&]<typename Width>(Width, std::int64_t c) __attribute__((always_inline)) {
        moments_tile<positions, Width>(channels, x + c, sum + c, square + c);
      });
}

template <bool relu, bool residual, typename T>
CNNPLAN_INLINE void normalise_body(
    RunSize size, const Normalisation& by, const T* x, const T* added, T* y) {
  for (std::int64_t i = 0; i < size.positions * size.channels; i += size.channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < size.channels; ++c) {
      float value = (x[i + c] - by.mean[c]) * by.factor[c] + by.shift[c];
      if constexpr (residual) value += added[i + c];
      if constexpr (relu) value = positive_part(value);
      y[i + c] = T(value);
    }
  }
}

// Says what the backward statistics do beyond their sums.
struct GradientWork {
  bool relu = false;  // mask the gradient
  bool keep = false;  // write dz
  bool add = false;   // add the second error signal
};

template <int positions, GradientWork work, typename Width, typename T>
CNNPLAN_INLINE void gradient_tile(std::int64_t channels,
                                  std::int64_t c,
                                  const GradientRun<T>& run,
                                  const GradientSums& sums) {
  using Floats = typename Width::Floats;
  using Doubles = typename Width::Doubles;
  Floats mean;
  load(mean, sums.mean + c);
  Doubles tile_gradient{};
  Doubles tile_product{};
  for (int i = 0; i < positions; ++i) {
    const std::int64_t at = i * channels + c;
    Floats dz;
    Floats x;
    Doubles wide;
    load(dz, run.dy + at);
    load(x, run.x + at);
    if constexpr (work.add) {
      Floats added;
      load(added, run.second_dy + at);
      // The sum is rounded as if a kernel of its own had written it.
      dz += added;
      round_as<T>(dz);
    }
    if constexpr (work.relu) {
      Floats y;
      load(y, run.y + at);
      dz = y > Floats{} ? dz : Floats{};
    }
    if constexpr (work.keep) store(run.dz + at, dz);
    widen<Width>(wide, dz);
    tile_gradient += wide;
    widen<Width>(wide, dz * (x - mean));
    tile_product += wide;
  }
  add_to(sums.gradient + c, tile_gradient);
  add_to(sums.product + c, tile_product);
}

template <int positions, GradientWork work, typename T>
CNNPLAN_INLINE void gradients_of_positions(std::int64_t channels,
                                           const GradientRun<T>& run,
                                           const GradientSums& sums) {
  for_each_channel(
      channels, [&]<typename Width>(Width, std::int64_t c) __attribute__((always_inline)) {
        gradient_tile<positions, work, Width>(channels, c, run, sums);
      });
}

template <GradientWork work, typename T>
CNNPLAN_INLINE void gradient_body(RunSize size, GradientRun<T> run, const GradientSums& sums) {
  const auto advance = [&](std::int64_t positions) {
    run.x += positions * size.channels;
    run.dy += positions * size.channels;
    if constexpr (work.add) run.second_dy += positions * size.channels;
    if constexpr (work.relu) run.y += positions * size.channels;
    if constexpr (work.keep) run.dz += positions * size.channels;
  };
  std::int64_t left = size.positions;
  for (; left >= gradient_positions; left -= gradient_positions) {
    gradients_of_positions<gradient_positions, work>(size.channels, run, sums);
    advance(gradient_positions);
  }
  for (; left > 0; --left) {
    gradients_of_positions<1, work>(size.channels, run, sums);
    advance(1);
  }
}

template <bool relu, typename T>
CNNPLAN_INLINE void transform_body(
    RunSize size, const GradientTransform& by, const T* x, const T* dy, const T* y, T* dx) {
  for (std::int64_t i = 0; i < size.positions * size.channels; i += size.channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < size.channels; ++c) {
      float dz = dy[i + c];
      if constexpr (relu) dz = y[i + c] > 0.0F ? dz : 0.0F;
      const float distance = x[i + c] - by.mean[c];
      dx[i + c] = T((dz - by.offset[c] - distance * by.slope[c]) * by.factor[c]);
    }
  }
}

template <typename T>
CNNPLAN_INLINE void add_moments_loop(RunSize size, const T* x, double* sum, double* square) {
  std::int64_t i = 0;
  for (; i + moments_positions <= size.positions; i += moments_positions) {
    moments_of_positions<moments_positions>(size.channels, x + i * size.channels, sum, square);
  }
  for (; i < size.positions; ++i) {
    moments_of_positions<1>(size.channels, x + i * size.channels, sum, square);
  }
}

template <typename T>
CNNPLAN_INLINE void normalise_loop(
    RunSize size, const Normalisation& by, const T* x, const T* residual, bool relu, T* y) {
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

template <typename T>
CNNPLAN_INLINE void add_gradient_sums_loop(RunSize size,
                                           const GradientRun<T>& run,
                                           const GradientSums& sums) {
  if (run.y && run.second_dy) {
    gradient_body<GradientWork{.relu = true, .keep = true, .add = true}>(size, run, sums);
  } else if (run.second_dy) {
    gradient_body<GradientWork{.keep = true, .add = true}>(size, run, sums);
  } else if (run.y && run.dz) {
    gradient_body<GradientWork{.relu = true, .keep = true}>(size, run, sums);
  } else if (run.y) {
    gradient_body<GradientWork{.relu = true}>(size, run, sums);
  } else if (run.dz) {
    gradient_body<GradientWork{.keep = true}>(size, run, sums);
  } else {
    gradient_body<GradientWork{}>(size, run, sums);
  }
}

template <typename T>
CNNPLAN_INLINE void transform_gradient_loop(
    RunSize size, const GradientTransform& by, const T* x, const T* dy, const T* y, T* dx) {
  if (y) {
    transform_body<true>(size, by, x, dy, y, dx);
  } else {
    transform_body<false>(size, by, x, dy, y, dx);
  }
}

}  // namespace

template <typename T>
void add_moments(RunSize size, const T* x, double* sum, double* square) {
  vectorized<add_moments_loop<T>>(size, x, sum, square);
}

template <typename T>
void normalise(
    RunSize size, const Normalisation& by, const T* x, const T* residual, bool relu, T* y) {
  vectorized<normalise_loop<T>>(size, by, x, residual, relu, y);
}

template <typename T>
void add_gradient_sums(RunSize size, const GradientRun<T>& run, const GradientSums& sums) {
  vectorized<add_gradient_sums_loop<T>>(size, run, sums);
}

template <typename T>
void transform_gradient(
    RunSize size, const GradientTransform& by, const T* x, const T* dy, const T* y, T* dx) {
  vectorized<transform_gradient_loop<T>>(size, by, x, dy, y, dx);
}

template void add_moments(RunSize, const float*, double*, double*);
template void normalise(RunSize, const Normalisation&, const float*, const float*, bool, float*);
template void add_gradient_sums(RunSize, const GradientRun<float>&, const GradientSums&);
template void transform_gradient(
    RunSize, const GradientTransform&, const float*, const float*, const float*, float*);
template void add_moments(RunSize, const BFloat16*, double*, double*);
template void normalise(
    RunSize, const Normalisation&, const BFloat16*, const BFloat16*, bool, BFloat16*);
template void add_gradient_sums(RunSize, const GradientRun<BFloat16>&, const GradientSums&);
template void transform_gradient(RunSize,
                                 const GradientTransform&,
                                 const BFloat16*,
                                 const BFloat16*,
                                 const BFloat16*,
                                 BFloat16*);

}  // namespace cnnplan::onednn
