// Declares the inner loops of matrix products Y = X W with at most thin_rows rows
// (convolution.hpp). Each passes over the weights once.
#pragma once

#include <cstdint>

#include "executor/backend/onednn/position_sums.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan::onednn {

// X is (rows, depth), W is (depth, filters) and Y is (rows, filters), all dense. T is float or
// BFloat16.
struct ProductSizes {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t filters = 0;
};

// A float may add at most this number of products, because the loop first sums eight products and
// then adds their sum.
inline constexpr std::int64_t most_depth = 8 * most_float_terms;
// Computes y += x * weight over a range of the depth. @pre the range is at most most_depth
template <typename T>
void add_product(const ProductSizes& sizes, Range depth, const float* x, const T* weight, float* y);
// Computes y = positive_part(y) for each element (element_wise_functions.hpp).
void clip_negative(float* y, std::int64_t count);
// Computes dx = dy * weight^T, where dy has the shape of Y and dx has the shape of X.
template <typename T>
void product_with_transposed(const ProductSizes& sizes,
                             const float* dy,
                             const T* weight,
                             float* dx);
// Computes dweight = x^T * dy, where dweight has the shape of W.
void transposed_product(const ProductSizes& sizes, const float* x, const float* dy, float* dweight);

}  // namespace cnnplan::onednn
