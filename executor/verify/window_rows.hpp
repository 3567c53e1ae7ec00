// Copies the inputs of a convolution's windows to the rows of a matrix, and adds rows to inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Handles the rows of some output positions at a time. A row has all inputs that one output
// position meets in one group, in the order (channel, tap) of a weight. Inputs in the padding are
// 0. Activations are dense and channels-last.
class WindowRows {
 public:
  explicit WindowRows(const KernelSpec& spec);

  // Returns the number of elements of a row.
  std::int64_t length() const { return channels_ * taps_; }
  // Returns the output positions of the whole block.
  std::int64_t positions() const;
  // Returns how many positions are selected at a time, so that their data fit into a cache.
  std::int64_t most_selected() const;
  std::int64_t bytes() const;  // of the places and rows of the selected positions

  // Selects `count` output positions from `first` on, in the order (n, d, h, w).
  // @pre count <= most_selected()
  void select(std::int64_t first, std::int64_t count);
  std::int64_t first() const { return first_; }
  std::int64_t count() const { return count_; }

  // Writes the rows of the selected positions, one after the other.
  void gather(std::int64_t group, const double* x, double* rows) const;
  // Adds each element of the rows to the element of `dx` from which gather() would take it.
  void scatter(std::int64_t group, const double* rows, double* dx) const;

 private:
  KernelSpec spec_;
  std::int64_t channels_ = 0;  // in a group
  std::int64_t taps_ = 0;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  // Has the place of channel 0 for each tap of each selected position. Below 0 is padding.
  std::vector<std::int64_t> places_;
};

}  // namespace cnnplan
