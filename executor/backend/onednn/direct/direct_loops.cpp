// Has a version of each loop for each instruction set (vectorize.hpp).
#include "executor/backend/onednn/direct/direct_loops.hpp"

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// Computes the sums of one position for `vectors` times `Lanes::count` channels.
template <typename Lanes, int vectors, typename T>
CNNPLAN_INLINE void multiply_lanes(const T* x,
                                   const float* weight,
                                   std::span<const TapPlace> places,
                                   const ChannelSteps& steps,
                                   float* sums) {
  using Floats = typename Lanes::Floats;
  Floats total[vectors] = {};
  for (const TapPlace& place : places) {
    for (int i = 0; i < vectors; ++i) {
      Floats input;
      Floats factor;
      load(input, x + place.position * steps.position + i * Lanes::count);
      load(factor, weight + place.tap * steps.tap + i * Lanes::count);
      total[i] += input * factor;
    }
  }
  for (int i = 0; i < vectors; ++i) store(sums + i * Lanes::count, total[i]);
}

template <typename T>
CNNPLAN_INLINE void multiply_position(const T* x,
                                      const float* weight,
                                      std::span<const TapPlace> places,
                                      const ChannelSteps& steps,
                                      float* sums) {
  constexpr std::int64_t vectors = 4;
  constexpr std::int64_t wide = vectors * SixteenLanes::count;
  std::int64_t c = 0;
  for (; c + wide <= steps.channels; c += wide) {
    multiply_lanes<SixteenLanes, vectors>(x + c, weight + c, places, steps, sums + c);
  }
  for (; c + EightLanes::count <= steps.channels; c += EightLanes::count) {
    multiply_lanes<EightLanes, 1>(x + c, weight + c, places, steps, sums + c);
  }
  for (; c < steps.channels; ++c) {
    multiply_lanes<OneLane, 1>(x + c, weight + c, places, steps, sums + c);
  }
}

// Adds the products of one tap over all positions of the run, for `vectors` times `Lanes::count`
// channels.
template <typename Lanes, int vectors, typename T>
CNNPLAN_INLINE void add_outer_lanes(
    const T* x, const T* dy, const TapRun& run, const ChannelSteps& steps, float* sums) {
  using Floats = typename Lanes::Floats;
  Floats total[vectors] = {};
  for (std::int64_t p = 0; p < run.positions; ++p) {
    for (int i = 0; i < vectors; ++i) {
      Floats input;
      Floats gradient;
      load(input, x + p * run.step * steps.position + i * Lanes::count);
      load(gradient, dy + p * steps.position + i * Lanes::count);
      total[i] += input * gradient;
    }
  }
  for (int i = 0; i < vectors; ++i) add_to(sums + i * Lanes::count, total[i]);
}

template <typename T>
CNNPLAN_INLINE void copy_rows_loop(const T* from, const CopySteps& steps, float* to) {
  using Floats = SixteenLanes::Floats;
  const std::int64_t whole = steps.channels - steps.channels % SixteenLanes::count;
  for (std::int64_t p = 0; p < steps.positions; ++p, from += steps.from, to += steps.to) {
    for (std::int64_t c = 0; c < whole; c += SixteenLanes::count) {
      Floats values;
      load(values, from + c);
      store(to + c, values);
    }
    for (std::int64_t c = whole; c < steps.channels; ++c) to[c] = from[c];
  }
}

template <typename T>
CNNPLAN_INLINE void copy_columns_loop(const T* from, const CopySteps& steps, float* to) {
  for (std::int64_t c = 0; c < steps.channels; ++c, ++from, to += steps.to) {
    if (steps.from == 1) {
      CNNPLAN_INDEPENDENT
      for (std::int64_t p = 0; p < steps.positions; ++p) to[p] = from[p];
    } else {
      CNNPLAN_INDEPENDENT
      for (std::int64_t p = 0; p < steps.positions; ++p) to[p] = from[p * steps.from];
    }
  }
}

template <typename T>
CNNPLAN_INLINE void finish_loop(
    const float* sums, const float* bias, bool relu, std::int64_t count, T* to) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = sums[i] + (bias ? bias[i] : 0.0F);
    to[i] = T(relu ? positive_part(sum) : sum);
  }
}

template <typename T>
CNNPLAN_INLINE void add_to_doubles_loop(const T* from, std::int64_t count, double* sums) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(from[i]);
}

template <typename T>
CNNPLAN_INLINE void multiply_taps_loop(
    const T* x, const float* weight, const TapRun& run, const ChannelSteps& steps, float* sums) {
  for (std::int64_t p = 0; p < run.positions; ++p, sums += steps.channels) {
    multiply_position(x + p * run.step * steps.position, weight, run.places, steps, sums);
  }
}

template <typename T>
CNNPLAN_INLINE void add_outer_taps_loop(
    const T* x, const T* dy, const TapRun& run, const ChannelSteps& steps, float* sums) {
  constexpr std::int64_t vectors = 4;
  constexpr std::int64_t wide = vectors * SixteenLanes::count;
  for (const TapPlace& place : run.places) {
    const T* const inputs = x + place.position * steps.position;
    float* const totals = sums + place.tap * steps.tap;
    std::int64_t c = 0;
    for (; c + wide <= steps.channels; c += wide) {
      add_outer_lanes<SixteenLanes, vectors>(inputs + c, dy + c, run, steps, totals + c);
    }
    for (; c + EightLanes::count <= steps.channels; c += EightLanes::count) {
      add_outer_lanes<EightLanes, 1>(inputs + c, dy + c, run, steps, totals + c);
    }
    for (; c < steps.channels; ++c) {
      add_outer_lanes<OneLane, 1>(inputs + c, dy + c, run, steps, totals + c);
    }
  }
}

}  // namespace

template <typename T>
void copy_rows(const T* from, const CopySteps& steps, float* to) {
  vectorized<copy_rows_loop<T>>(from, steps, to);
}

template <typename T>
void copy_columns(const T* from, const CopySteps& steps, float* to) {
  vectorized<copy_columns_loop<T>>(from, steps, to);
}

template <typename T>
void finish(const float* sums, const float* bias, bool relu, std::int64_t count, T* to) {
  vectorized<finish_loop<T>>(sums, bias, relu, count, to);
}

template <typename T>
void add_to_doubles(const T* from, std::int64_t count, double* sums) {
  vectorized<add_to_doubles_loop<T>>(from, count, sums);
}

template <typename T>
void multiply_taps(
    const T* x, const float* weight, const TapRun& run, const ChannelSteps& steps, float* sums) {
  vectorized<multiply_taps_loop<T>>(x, weight, run, steps, sums);
}

template <typename T>
void add_outer_taps(
    const T* x, const T* dy, const TapRun& run, const ChannelSteps& steps, float* sums) {
  vectorized<add_outer_taps_loop<T>>(x, dy, run, steps, sums);
}

template void copy_rows(const float*, const CopySteps&, float*);
template void copy_rows(const BFloat16*, const CopySteps&, float*);
template void copy_columns(const float*, const CopySteps&, float*);
template void copy_columns(const BFloat16*, const CopySteps&, float*);
template void finish(const float*, const float*, bool, std::int64_t, float*);
template void finish(const float*, const float*, bool, std::int64_t, BFloat16*);
template void add_to_doubles(const float*, std::int64_t, double*);
template void add_to_doubles(const BFloat16*, std::int64_t, double*);
template void multiply_taps(const float*, const float*, const TapRun&, const ChannelSteps&, float*);
template void multiply_taps(
    const BFloat16*, const float*, const TapRun&, const ChannelSteps&, float*);
template void add_outer_taps(
    const float*, const float*, const TapRun&, const ChannelSteps&, float*);
template void add_outer_taps(
    const BFloat16*, const BFloat16*, const TapRun&, const ChannelSteps&, float*);

}  // namespace cnnplan::onednn
