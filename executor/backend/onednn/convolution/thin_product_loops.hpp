// Declares the inner loops of matrix products with few rows, Y = X W. Each passes over the weights
// once.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// X is (rows, depth), W is (depth, filters) and Y is (rows, filters), all dense. T is float or
// BFloat16.
struct ProductSizes {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t filters = 0;
};

// Computes y += x * weight.
template <typename T>
void add_product(const ProductSizes& sizes, const float* x, const T* weight, float* y);
// Computes y = max(y, 0).
void clip_negative(float* y, std::int64_t count);
// Computes dx = dy * weight^T.
template <typename T>
void product_with_transposed(const ProductSizes& sizes,
                             const float* dy,
                             const T* weight,
                             float* dx);
// Computes dweight = x^T * dy.
void transposed_product(const ProductSizes& sizes, const float* x, const float* dy, float* dweight);
// Computes dbias, the sum over the rows of dy.
void sum_rows(const ProductSizes& sizes, const float* dy, float* dbias);

}  // namespace cnnplan::onednn
