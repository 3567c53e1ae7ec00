// Sums some positions in registers, and compiles each loop for several instruction sets.
#include "executor/backend/onednn/position_sums.hpp"

#include <algorithm>

#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// This number of positions is summed in registers.
constexpr int positions_together = 8;
constexpr int scaled_together = 4;
// Fewer channels do not fill the lanes, so that several positions are treated as one.
constexpr std::int64_t few_channels = 64;

template <int positions, typename Width, typename T>
CNNPLAN_INLINE void add_tile(const T* from, std::int64_t channels, double* sums) {
  typename Width::Doubles sum{};
  for (int i = 0; i < positions; ++i) {
    typename Width::Floats narrow;
    typename Width::Doubles value;
    load(narrow, from + i * channels);
    widen<Width>(value, narrow);
    sum += value;
  }
  add_to(sums, sum);
}

template <int positions, typename T>
CNNPLAN_INLINE void add_tiles(const T* from, std::int64_t channels, double* sums) {
  std::int64_t c = 0;
  for (; c + EightLanes::count <= channels; c += EightLanes::count) {
    add_tile<positions, EightLanes>(from + c, channels, sums + c);
  }
  for (; c < channels; ++c) add_tile<positions, OneLane>(from + c, channels, sums + c);
}

template <typename T>
CNNPLAN_INLINE void add_all(const T* from,
                            std::int64_t positions,
                            std::int64_t channels,
                            double* sums) {
  std::int64_t i = 0;
  for (; i + positions_together <= positions; i += positions_together) {
    add_tiles<positions_together>(from + i * channels, channels, sums);
  }
  for (; i < positions; ++i) add_tiles<1>(from + i * channels, channels, sums);
}

template <int positions, typename T>
CNNPLAN_INLINE void add_scaled(const T* factors,
                               const T* from,
                               std::int64_t channels,
                               double* __restrict sums) {
  for (std::int64_t c = 0; c < channels; ++c) {
    double sum = 0.0;
    for (int i = 0; i < positions; ++i) {
      sum += static_cast<double>(factors[i]) * static_cast<double>(from[i * channels + c]);
    }
    sums[c] += sum;
  }
}

template <typename T>
CNNPLAN_INLINE void add_positions_loop(const T* from,
                                       std::int64_t positions,
                                       std::int64_t channels,
                                       double* sums) {
  constexpr std::int64_t lanes = EightLanes::count;
  const bool folds =
      channels % lanes != 0 && channels < few_channels && positions >= lanes * positions_together;
  if (!folds) return add_all(from, positions, channels, sums);
  double wide[lanes * few_channels] = {};
  add_all(from, positions / lanes, lanes * channels, wide);
  for (std::int64_t i = 0; i < lanes; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) sums[c] += wide[i * channels + c];
  }
  const std::int64_t done = positions / lanes * lanes;
  add_all(from + done * channels, positions - done, channels, sums);
}

template <typename T>
CNNPLAN_INLINE void add_scaled_positions_loop(const T* factors,
                                              const T* from,
                                              std::int64_t positions,
                                              std::int64_t channels,
                                              double* __restrict sums) {
  std::int64_t i = 0;
  for (; i + scaled_together <= positions; i += scaled_together) {
    add_scaled<scaled_together>(factors + i, from + i * channels, channels, sums);
  }
  for (; i < positions; ++i) add_scaled<1>(factors + i, from + i * channels, channels, sums);
}

CNNPLAN_INLINE void add_part_loop(const float* __restrict part,
                                  std::int64_t count,
                                  double* __restrict totals) {
  for (std::int64_t i = 0; i < count; ++i) totals[i] += part[i];
}

CNNPLAN_INLINE void copy_part_loop(const float* __restrict part,
                                   std::int64_t count,
                                   double* __restrict totals) {
  for (std::int64_t i = 0; i < count; ++i) totals[i] = part[i];
}

CNNPLAN_INLINE void finish_parts_loop(const double* __restrict totals,
                                      std::int64_t count,
                                      float* __restrict part) {
  for (std::int64_t i = 0; i < count; ++i) part[i] = static_cast<float>(totals[i] + part[i]);
}

}  // namespace

template <typename T>
void add_positions(const T* from, std::int64_t positions, std::int64_t channels, double* sums) {
  vectorized<add_positions_loop<T>>(from, positions, channels, sums);
}

template <typename T>
void add_scaled_positions(
    const T* factors, const T* from, std::int64_t positions, std::int64_t channels, double* sums) {
  vectorized<add_scaled_positions_loop<T>>(factors, from, positions, channels, sums);
}

void add_part(const float* part, std::int64_t count, double* totals) {
  vectorized<add_part_loop>(part, count, totals);
}

void copy_part(const float* part, std::int64_t count, double* totals) {
  vectorized<copy_part_loop>(part, count, totals);
}

void finish_parts(const double* totals, std::int64_t count, float* part) {
  vectorized<finish_parts_loop>(totals, count, part);
}

template void add_positions(const float*, std::int64_t, std::int64_t, double*);
template void add_positions(const BFloat16*, std::int64_t, std::int64_t, double*);
template void add_scaled_positions(const float*, const float*, std::int64_t, std::int64_t, double*);
template void add_scaled_positions(
    const BFloat16*, const BFloat16*, std::int64_t, std::int64_t, double*);

}  // namespace cnnplan::onednn
