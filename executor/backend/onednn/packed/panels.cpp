// Computes sixteen by sixteen sums, as many at a time as fit in the registers.
#include "executor/backend/onednn/packed/panels.hpp"

#include <algorithm>
#include <cstring>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename Floats>
CNNPLAN_INLINE void put(const Floats& values, bool adds, float* sums) {
  if (adds) {
    add_to(sums, values);
  } else {
    store(sums, values);
  }
}

template <int rows>
CNNPLAN_INLINE void multiply_rows(const float* __restrict x,
                                  const float* __restrict y,
                                  std::int64_t positions,
                                  bool adds,
                                  std::int64_t step,
                                  float* __restrict sums) {
  using Floats = EightLanes::Floats;
  constexpr int half = EightLanes::count;
  Floats left[rows] = {};
  Floats right[rows] = {};
  for (std::int64_t p = 0; p < positions; ++p, x += panel_channels, y += panel_channels) {
    Floats first;
    Floats second;
    load(first, y);
    load(second, y + half);
    for (int i = 0; i < rows; ++i) {
      left[i] += x[i] * first;
      right[i] += x[i] * second;
    }
  }
  for (int i = 0; i < rows; ++i, sums += step) {
    put(left[i], adds, sums);
    put(right[i], adds, sums + half);
  }
}

// Computes the sums of `count` positions.
template <int count>
CNNPLAN_INLINE void convolve_positions(const float* __restrict x,
                                       const PanelProducts& products,
                                       bool adds,
                                       float* __restrict sums) {
  using Floats = EightLanes::Floats;
  constexpr int half = EightLanes::count;
  Floats left[count] = {};
  Floats right[count] = {};
  const float* __restrict weight = products.weights;
  for (std::int64_t panel = 0; panel < products.inputs.panels; ++panel) {
    for (const std::int64_t offset : products.offsets) {
      const float* const inputs = x + panel * products.inputs.floats + offset;
      for (std::int64_t k = 0; k < panel_channels; ++k, weight += panel_channels) {
        Floats first;
        Floats second;
        load(first, weight);
        load(second, weight + half);
        for (int p = 0; p < count; ++p) {
          left[p] += inputs[p * panel_channels + k] * first;
          right[p] += inputs[p * panel_channels + k] * second;
        }
      }
    }
  }
  for (int p = 0; p < count; ++p, sums += panel_channels) {
    put(left[p], adds, sums);
    put(right[p], adds, sums + half);
  }
}

// Computes the sums of `count` positions, at most `most`.
template <int most>
CNNPLAN_INLINE void convolve_fewer(
    std::int64_t count, const float* x, const PanelProducts& products, bool adds, float* sums) {
  if constexpr (most > 0) {
    if (count == most) {
      convolve_positions<most>(x, products, adds, sums);
    } else {
      convolve_fewer<most - 1>(count, x, products, adds, sums);
    }
  }
}

CNNPLAN_INLINE void pack_positions_loop(const float* from,
                                        std::int64_t step,
                                        std::int64_t count,
                                        const PanelLayout& layout,
                                        float* to) {
  for (std::int64_t p = 0; p < count; ++p, from += step, to += panel_channels) {
    for (std::int64_t i = 0; i < layout.panels; ++i) {
      std::memcpy(
          to + i * layout.floats, from + i * panel_channels, panel_channels * sizeof(float));
    }
  }
}

CNNPLAN_INLINE void multiply_panels_loop(const float* x,
                                         const float* y,
                                         std::int64_t positions,
                                         bool adds,
                                         std::int64_t step,
                                         float* sums) {
  // Twelve sums of eight channels leave room for two vectors of y and a factor in 16 registers.
  constexpr int most = 6;
  constexpr int fewer = 5;
  static_assert(most + 2 * fewer == panel_channels);
  multiply_rows<most>(x, y, positions, adds, step, sums);
  multiply_rows<fewer>(x + most, y, positions, adds, step, sums + most * step);
  multiply_rows<fewer>(x + most + fewer, y, positions, adds, step, sums + (most + fewer) * step);
}

CNNPLAN_INLINE void add_products_loop(
    const float* x, const PanelProducts& products, std::int64_t positions, bool adds, float* sums) {
  constexpr int together = 6;
  std::int64_t p = 0;
  for (; p + together <= positions; p += together) {
    convolve_positions<together>(x + p * panel_channels, products, adds, sums + p * panel_channels);
  }
  x += p * panel_channels;
  sums += p * panel_channels;
  convolve_fewer<together - 1>(positions - p, x, products, adds, sums);
}

CNNPLAN_INLINE void unpack_positions_loop(const float* from,
                                          const PanelLayout& layout,
                                          const OutputFinish& finish,
                                          std::int64_t step,
                                          std::int64_t count,
                                          float* to) {
  for (std::int64_t p = 0; p < count; ++p, from += panel_channels, to += step) {
    for (std::int64_t i = 0; i < layout.panels; ++i) {
      const float* const sums = from + i * layout.floats;
      const float* const bias = finish.bias ? finish.bias + i * panel_channels : nullptr;
      float* const outputs = to + i * panel_channels;
      for (std::int64_t c = 0; c < panel_channels; ++c) {
        const float sum = sums[c] + (bias ? bias[c] : 0.0F);
        outputs[c] = finish.relu ? positive_part(sum) : sum;
      }
    }
  }
}

CNNPLAN_INLINE void transpose_block_loop(const float* __restrict from,
                                         std::int64_t step,
                                         float* __restrict to) {
  for (std::int64_t i = 0; i < panel_channels; ++i) {
    for (std::int64_t j = 0; j < panel_channels; ++j) {
      to[i * panel_channels + j] = from[j * step + i];
    }
  }
}

}  // namespace

void pack_positions(const float* from,
                    std::int64_t step,
                    std::int64_t count,
                    const PanelLayout& layout,
                    float* to) {
  vectorized<pack_positions_loop>(from, step, count, layout, to);
}

void pack_zeros(std::int64_t count, const PanelLayout& layout, float* to) {
  for (std::int64_t i = 0; i < layout.panels; ++i) {
    std::fill_n(to + i * layout.floats, count * panel_channels, 0.0F);
  }
}

void multiply_panels(const float* x,
                     const float* y,
                     std::int64_t positions,
                     bool adds,
                     std::int64_t step,
                     float* sums) {
  vectorized<multiply_panels_loop>(x, y, positions, adds, step, sums);
}

void add_products(
    const float* x, const PanelProducts& products, std::int64_t positions, bool adds, float* sums) {
  vectorized<add_products_loop>(x, products, positions, adds, sums);
}

void unpack_positions(const float* from,
                      const PanelLayout& layout,
                      const OutputFinish& finish,
                      std::int64_t step,
                      std::int64_t count,
                      float* to) {
  vectorized<unpack_positions_loop>(from, layout, finish, step, count, to);
}

void transpose_block(const float* from, std::int64_t step, float* to) {
  vectorized<transpose_block_loop>(from, step, to);
}

}  // namespace cnnplan::onednn
