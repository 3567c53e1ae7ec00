// Gathers the inputs of windows into the rows of a matrix.
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/onednn/direct/product.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Names a block of the matrix. It has a row for each position, and a column for each tap and
// channel, in this order.
struct RowBlock {
  Range positions;  // of outputs, counted over (n, d, h, w)
  Range taps;       // of the window, counted over (d, h, w)
  Range channels;   // of the inputs
  std::int64_t columns() const { return taps.size() * channels.size(); }
};

// Knows the matrix of one convolution, which is never stored as a whole.
class WindowRows {
 public:
  // Reads `in`, `out` and `window` of `convolution`. The padding may be negative.
  explicit WindowRows(const KernelSpec& convolution);

  // Return the numbers of output positions and of taps.
  std::int64_t positions() const { return positions_; }
  std::int64_t taps() const { return taps_; }
  // Returns a range that includes all taps which meet an input at some of these positions. All
  // other taps meet the padding alone.
  Range taps_inside(Range positions) const;
  // Writes a block to `memory`, which has room for all of its elements, and returns a view of it. x
  // is the input of the convolution. Inputs outside of x are zeros. T is float or BFloat16.
  // @pre x is dense
  template <typename T>
  ConstMatrix gather(const T* x, const RowBlock& block, float* memory) const;

 private:
  struct Place {
    std::int64_t n = 0, d = 0, h = 0, w = 0;
  };
  Place place_of(std::int64_t position) const;
  // Gathers `columns` positions of one row of outputs.
  template <typename T>
  void gather_row(
      const T* x, const Place& place, std::int64_t columns, const RowBlock& block, float* to) const;
  // Gathers the inputs of one tap from a row of inputs.
  template <typename T>
  void gather_tap(const T* row,
                  std::int64_t first,
                  std::int64_t columns,
                  const RowBlock& block,
                  float* to) const;

  KernelSpec spec_;
  std::int64_t positions_;
  std::int64_t taps_;
  bool has_padding_ = false;
};

// Blocks of this many columns fit in a cache with enough rows for a fast product.
inline constexpr std::int64_t columns_together = 512;
// Return how many of `channels` channels one block takes, and how many of `taps` taps with
// `channels` channels each.
inline std::int64_t channels_together(std::int64_t channels) {
  return std::min(channels, columns_together);
}
inline std::int64_t taps_together(std::int64_t taps, std::int64_t channels) {
  return std::clamp<std::int64_t>(columns_together / channels, 1, taps);
}

}  // namespace cnnplan::onednn
