// Multiplies matrices in fp32 by oneDNN.
#pragma once

#include <cstdint>

namespace cnnplan::onednn {

// Views a matrix without owning it. Rows are `step` floats apart. If the matrix is stored by
// columns, its columns are.
struct ConstMatrix {
  const float* data = nullptr;
  std::int64_t step = 0;
  bool by_columns = false;
};
// Views a matrix that is written. It is stored by rows, `step` floats apart.
struct Matrix {
  float* data = nullptr;
  std::int64_t step = 0;
};
// Gives the sizes of a product of matrices.
struct Extents {
  std::int64_t rows = 0;     // of the result
  std::int64_t columns = 0;  // of the result
  std::int64_t depth = 0;    // products of each sum
};

// Computes c = a b. With `adds`, c += a b. @pre b is stored by rows @throws BackendError
void multiply(
    const ConstMatrix& a, const ConstMatrix& b, const Extents& extents, bool adds, const Matrix& c);
// Computes c = a^T b. @pre b is stored by rows @throws BackendError
void multiply_transposed(const ConstMatrix& a,
                         const ConstMatrix& b,
                         const Extents& extents,
                         const Matrix& c);

}  // namespace cnnplan::onednn
