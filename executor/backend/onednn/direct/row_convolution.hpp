// Computes convolutions as products of gathered inputs and matrices of weights, for forward and for
// backward data.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/onednn/direct/group_spans.hpp"
#include "executor/backend/onednn/direct/jobs.hpp"
#include "executor/backend/onednn/direct/product.hpp"
#include "executor/backend/onednn/direct/window_rows.hpp"

namespace cnnplan::onednn {

// Holds a matrix of weights for each span of groups (group_spans.hpp). Rows are in the order (tap,
// channel of the span), and columns are the filters of the span.
struct SpanMatrices {
  ConstMatrix first;          // of the first span
  std::int64_t per_span = 0;  // floats from one matrix to the next
};

// Holds sums of a block of positions and filters, (positions, filters), dense.
struct SumBlock {
  Range positions;
  Range filters;
  const float* sums = nullptr;
};

// Computes the sums of a convolution. Sizes of memory are in floats.
class RowConvolution {
 public:
  // Reads `in`, `out`, `window` and `groups` of `convolution`.
  explicit RowConvolution(const KernelSpec& convolution);

  const GroupSpans& spans() const { return spans_; }
  std::int64_t taps() const { return rows_.taps(); }
  // Returns the size of a dense matrix of a span.
  std::int64_t matrix_floats() const {
    return taps() * spans_.most_channels() * spans_.most_filters();
  }
  // Returns how many floats run() needs as its workspace.
  std::int64_t workspace_floats() const { return threads_ * floats_per_thread(); }

  // Computes the convolution of the inputs x with the weights. Passes the sums to `write`, block by
  // block, from several threads at the same time. T is float or BFloat16. @pre x is dense
  using Write = std::function<void(const SumBlock& block)>;
  template <typename T>
  void run(const T* x, const SpanMatrices& weight, float* workspace, const Write& write) const;

 private:
  std::int64_t block_columns() const;
  std::int64_t blocks() const { return block_count(rows_.positions(), positions_together_); }
  std::int64_t floats_per_thread() const {
    return positions_together_ * (block_columns() + spans_.most_filters());
  }
  template <typename T>
  void add_products(const T* x,
                    const SpanMatrices& weight,
                    std::int64_t span,
                    Range positions,
                    float* workspace) const;

  GroupSpans spans_;
  WindowRows rows_;
  std::int64_t positions_together_;
  int threads_;
};

}  // namespace cnnplan::onednn
