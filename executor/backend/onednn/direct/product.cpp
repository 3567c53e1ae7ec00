// Calls oneDNN's product of matrices, which is fast with every instruction set.
#include "executor/backend/onednn/direct/product.hpp"

#include <string>

#include <dnnl.hpp>

#include "planner/base/error.hpp"

namespace cnnplan::onednn {
namespace {

void call(char transposes_a,
          const ConstMatrix& a,
          const ConstMatrix& b,
          const Extents& extents,
          float earlier,
          const Matrix& c) {
  const dnnl::status status = dnnl::sgemm(transposes_a,
                                          'N',
                                          extents.rows,
                                          extents.columns,
                                          extents.depth,
                                          1.0F,
                                          a.data,
                                          a.step,
                                          b.data,
                                          b.step,
                                          earlier,
                                          c.data,
                                          c.step);
  if (status == dnnl::status::success) return;
  throw BackendError("onednn: sgemm failed with status " +
                     std::to_string(static_cast<int>(status)));
}

}  // namespace

void multiply(const ConstMatrix& a,
              const ConstMatrix& b,
              const Extents& extents,
              bool adds,
              const Matrix& c) {
  call(a.by_columns ? 'T' : 'N', a, b, extents, adds ? 1.0F : 0.0F, c);
}

void multiply_transposed(const ConstMatrix& a,
                         const ConstMatrix& b,
                         const Extents& extents,
                         const Matrix& c) {
  call(a.by_columns ? 'N' : 'T', a, b, extents, 0.0F, c);
}

}  // namespace cnnplan::onednn
