// Compiles each loop for several instruction sets.
#include "executor/backend/onednn/direct/direct_loops.hpp"

#include <algorithm>

#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_INLINE void clear(float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = 0.0F;
}

// Computes the sums of `vectors` times eight channels from `x` and `weight` on.
template <int vectors, typename T>
CNNPLAN_INLINE void multiply_lanes(const T* x,
                                   const float* weight,
                                   std::span<const TapPlace> places,
                                   const ChannelSteps& steps,
                                   float* sums) {
  using Floats = EightLanes::Floats;
  Floats total[vectors] = {};
  for (const TapPlace& place : places) {
    for (int i = 0; i < vectors; ++i) {
      Floats input;
      Floats factor;
      load(input, x + place.position * steps.position + i * EightLanes::count);
      load(factor, weight + place.tap * steps.tap + i * EightLanes::count);
      total[i] += input * factor;
    }
  }
  for (int i = 0; i < vectors; ++i) store(sums + i * EightLanes::count, total[i]);
}

}  // namespace

template <typename T>
CNNPLAN_VECTORIZED void copy_columns(const T* inputs, const ColumnRun& run, float* to) {
  const std::int64_t channels = run.channels;
  std::int64_t first = run.first;
  for (std::int64_t j = 0; j < run.columns; ++j, first += run.stride, to += run.row_step) {
    const std::int64_t before = std::clamp<std::int64_t>(-first, 0, run.taps);
    const std::int64_t end = std::clamp(run.inputs - first, before, run.taps);
    const T* const from = inputs + (first + before) * run.input_step;
    float* const inside = to + before * channels;
    const std::int64_t count = (end - before) * channels;
    clear(to, before * channels);
    CNNPLAN_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) inside[i] = from[i];
    clear(to + end * channels, (run.taps - end) * channels);
  }
}

CNNPLAN_VECTORIZED void clear_columns(const ColumnRun& run, float* to) {
  for (std::int64_t j = 0; j < run.columns; ++j, to += run.row_step) {
    clear(to, run.taps * run.channels);
  }
}

template <typename T>
CNNPLAN_VECTORIZED void finish(
    const float* sums, const float* bias, bool relu, std::int64_t count, T* to) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = sums[i] + (bias ? bias[i] : 0.0F);
    to[i] = T(relu && sum < 0.0F ? 0.0F : sum);
  }
}

template <typename T>
CNNPLAN_VECTORIZED void add_to_doubles(const T* from, std::int64_t count, double* sums) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(from[i]);
}

template <typename T>
CNNPLAN_VECTORIZED void multiply_taps(const T* x,
                                      const float* weight,
                                      std::span<const TapPlace> places,
                                      const ChannelSteps& steps,
                                      float* sums) {
  constexpr int vectors = 8;
  constexpr std::int64_t wide = vectors * EightLanes::count;
  std::int64_t c = 0;
  for (; c + wide <= steps.channels; c += wide) {
    multiply_lanes<vectors>(x + c, weight + c, places, steps, sums + c);
  }
  for (; c + EightLanes::count <= steps.channels; c += EightLanes::count) {
    multiply_lanes<1>(x + c, weight + c, places, steps, sums + c);
  }
  for (; c < steps.channels; ++c) {
    float total = 0.0F;
    for (const TapPlace& place : places) {
      total += x[place.position * steps.position + c] * weight[place.tap * steps.tap + c];
    }
    sums[c] = total;
  }
}

template <typename T>
CNNPLAN_VECTORIZED void add_outer_taps(const T* x,
                                       const T* dy,
                                       std::span<const TapPlace> places,
                                       const ChannelSteps& steps,
                                       float* sums) {
  for (const TapPlace& place : places) {
    const T* const inputs = x + place.position * steps.position;
    float* const totals = sums + place.tap * steps.tap;
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < steps.channels; ++c) totals[c] += inputs[c] * dy[c];
  }
}

template void copy_columns(const float*, const ColumnRun&, float*);
template void copy_columns(const BFloat16*, const ColumnRun&, float*);
template void finish(const float*, const float*, bool, std::int64_t, float*);
template void finish(const float*, const float*, bool, std::int64_t, BFloat16*);
template void add_to_doubles(const float*, std::int64_t, double*);
template void add_to_doubles(const BFloat16*, std::int64_t, double*);
template void multiply_taps(
    const float*, const float*, std::span<const TapPlace>, const ChannelSteps&, float*);
template void multiply_taps(
    const BFloat16*, const float*, std::span<const TapPlace>, const ChannelSteps&, float*);
template void add_outer_taps(
    const float*, const float*, std::span<const TapPlace>, const ChannelSteps&, float*);
template void add_outer_taps(
    const BFloat16*, const BFloat16*, std::span<const TapPlace>, const ChannelSteps&, float*);

}  // namespace cnnplan::onednn
