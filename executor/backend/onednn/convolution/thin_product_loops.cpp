// Computes tiles of products in registers. Weights stream past once, in rows that the prefetcher
// follows.
#include "executor/backend/onednn/convolution/thin_product_loops.hpp"

#include <algorithm>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/lanes.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// Adds to y[0, count) the sum over `depth` consecutive k of x[k] * weight[k][0, count).
template <int depth, typename T>
CNNPLAN_INLINE void add_weight_rows(const float* __restrict x,
                                    const T* __restrict weight,
                                    std::int64_t filters,
                                    std::int64_t count,
                                    float* __restrict y) {
  for (std::int64_t f = 0; f < count; ++f) {
    float sum = 0.0F;
    for (int k = 0; k < depth; ++k) sum += x[k] * weight[k * filters + f];
    y[f] += sum;
  }
}

// Adds weight rows [k, k + depth) for all rows of x, some filters at a time so that they stay in
// L1.
template <int depth, typename T>
CNNPLAN_INLINE void add_for_all_rows(
    const ProductSizes& sizes, const float* x, const T* weight, float* y, std::int64_t k) {
  constexpr std::int64_t piece = 512;
  for (std::int64_t f = 0; f < sizes.filters; f += piece) {
    for (std::int64_t row = 0; row < sizes.rows; ++row) {
      add_weight_rows<depth>(x + row * sizes.depth + k,
                             weight + k * sizes.filters + f,
                             sizes.filters,
                             std::min(piece, sizes.filters - f),
                             y + row * sizes.filters + f);
    }
  }
}

// Adds dot(dy row i, weight row j) over filters [begin, end) to totals[i][j]. The rows are rows of
// whole matrices.
template <int rows, int depth, typename T>
CNNPLAN_INLINE void add_dots(const ProductSizes& sizes,
                             Range filters,
                             const float* dy,
                             const T* weight,
                             double (&totals)[rows][depth]) {
  using Floats = SixteenLanes::Floats;
  Floats sums[rows][depth] = {};
  std::int64_t f = filters.begin;
  for (; f + SixteenLanes::count <= filters.end; f += SixteenLanes::count) {
    Floats right[depth];
    for (int j = 0; j < depth; ++j) load(right[j], weight + j * sizes.filters + f);
    for (int i = 0; i < rows; ++i) {
      Floats left;
      load(left, dy + i * sizes.filters + f);
      for (int j = 0; j < depth; ++j) sums[i][j] += left * right[j];
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < depth; ++j) {
      double sum = 0.0;
      for (int lane = 0; lane < SixteenLanes::count; ++lane) sum += sums[i][j][lane];
      for (std::int64_t g = f; g < filters.end; ++g) {
        sum += dy[i * sizes.filters + g] * weight[j * sizes.filters + g];
      }
      totals[i][j] += sum;
    }
  }
}

// Computes dx[i][j] = dot(dy row i, weight row j).
template <int rows, int depth, typename T>
CNNPLAN_INLINE void dots(const ProductSizes& sizes, const float* dy, const T* weight, float* dx) {
  constexpr std::int64_t together = most_float_terms * SixteenLanes::count;
  double totals[rows][depth] = {};
  for (std::int64_t begin = 0; begin < sizes.filters; begin += together) {
    add_dots(sizes, {begin, std::min(begin + together, sizes.filters)}, dy, weight, totals);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < depth; ++j) dx[i * sizes.depth + j] = static_cast<float>(totals[i][j]);
  }
}

template <int depth, typename T>
CNNPLAN_INLINE void dots_with_all_rows(
    const ProductSizes& sizes, const float* dy, const T* weight, float* dx, std::int64_t k) {
  constexpr int tile = 4;
  const T* weight_rows = weight + k * sizes.filters;
  std::int64_t row = 0;
  for (; row + tile <= sizes.rows; row += tile) {
    dots<tile, depth>(sizes, dy + row * sizes.filters, weight_rows, dx + row * sizes.depth + k);
  }
  for (; row < sizes.rows; ++row) {
    dots<1, depth>(sizes, dy + row * sizes.filters, weight_rows, dx + row * sizes.depth + k);
  }
}

// Computes rows [k, k + depth) of dweight.
template <int depth, typename Width>
CNNPLAN_INLINE void outer_product(const ProductSizes& sizes,
                                  const float* x,
                                  const float* dy,
                                  float* dweight) {
  typename Width::Floats sums[depth] = {};
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    typename Width::Floats gradient;
    load(gradient, dy + row * sizes.filters);
    for (int j = 0; j < depth; ++j) sums[j] += x[row * sizes.depth + j] * gradient;
  }
  for (int j = 0; j < depth; ++j) store(dweight + j * sizes.filters, sums[j]);
}

template <int depth>
CNNPLAN_INLINE void outer_products(
    const ProductSizes& sizes, const float* x, const float* dy, float* dweight, std::int64_t k) {
  float* rows = dweight + k * sizes.filters;
  std::int64_t f = 0;
  for (; f + SixteenLanes::count <= sizes.filters; f += SixteenLanes::count) {
    outer_product<depth, SixteenLanes>(sizes, x + k, dy + f, rows + f);
  }
  for (; f < sizes.filters; ++f) outer_product<depth, OneLane>(sizes, x + k, dy + f, rows + f);
}

template <typename T>
CNNPLAN_INLINE void add_product_loop(
    const ProductSizes& sizes, Range depth, const float* x, const T* weight, float* y) {
  constexpr int tile = 8;
  std::int64_t k = depth.begin;
  for (; k + tile <= depth.end; k += tile) add_for_all_rows<tile>(sizes, x, weight, y, k);
  for (; k < depth.end; ++k) add_for_all_rows<1>(sizes, x, weight, y, k);
}

CNNPLAN_INLINE void clip_negative_loop(float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = positive_part(y[i]);
}

template <typename T>
CNNPLAN_INLINE void product_with_transposed_loop(const ProductSizes& sizes,
                                                 const float* dy,
                                                 const T* weight,
                                                 float* dx) {
  constexpr int tile = 4;
  std::int64_t k = 0;
  for (; k + tile <= sizes.depth; k += tile) dots_with_all_rows<tile>(sizes, dy, weight, dx, k);
  for (; k < sizes.depth; ++k) dots_with_all_rows<1>(sizes, dy, weight, dx, k);
}

CNNPLAN_INLINE void transposed_product_loop(const ProductSizes& sizes,
                                            const float* x,
                                            const float* dy,
                                            float* dweight) {
  constexpr int tile = 4;
  std::int64_t k = 0;
  for (; k + tile <= sizes.depth; k += tile) outer_products<tile>(sizes, x, dy, dweight, k);
  for (; k < sizes.depth; ++k) outer_products<1>(sizes, x, dy, dweight, k);
}

}  // namespace

template <typename T>
void add_product(
    const ProductSizes& sizes, Range depth, const float* x, const T* weight, float* y) {
  vectorized<add_product_loop<T>>(sizes, depth, x, weight, y);
}

void clip_negative(float* y, std::int64_t count) {
  vectorized<clip_negative_loop>(y, count);
}

template <typename T>
void product_with_transposed(const ProductSizes& sizes,
                             const float* dy,
                             const T* weight,
                             float* dx) {
  vectorized<product_with_transposed_loop<T>>(sizes, dy, weight, dx);
}

void transposed_product(const ProductSizes& sizes,
                        const float* x,
                        const float* dy,
                        float* dweight) {
  vectorized<transposed_product_loop>(sizes, x, dy, dweight);
}

template void add_product(const ProductSizes&, Range, const float*, const float*, float*);
template void add_product(const ProductSizes&, Range, const float*, const BFloat16*, float*);
template void product_with_transposed(const ProductSizes&, const float*, const float*, float*);
template void product_with_transposed(const ProductSizes&, const float*, const BFloat16*, float*);

}  // namespace cnnplan::onednn
