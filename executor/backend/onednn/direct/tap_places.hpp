// Finds the positions that the taps of a window meet, for one position of its outputs or inputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Finds places for one thread at a time, and keeps memory for them.
class TapPlaces {
 public:
  // Reads `in`, `out` and `window` of `convolution`.
  explicit TapPlaces(const KernelSpec& convolution);

  // Returns the inputs that an output position and the next ones of its row read. The run holds
  // until the next call.
  TapRun of_output(std::int64_t position);
  // Returns the outputs that read an input position and the next ones of its row. The run holds
  // until the next call.
  TapRun of_input(std::int64_t position);

 private:
  // Joins places of three dims, where `outer` counts the samples of `to`.
  void join(std::int64_t outer, const Shape& to);
  // Splits a position of `from`, and finds the positions of `to` with `find` in every dim. Returns
  // the position in w.
  template <typename Find>
  std::int64_t find_all(std::int64_t position, const Shape& from, const Shape& to, Find find);

  KernelSpec spec_;
  std::array<std::vector<TapPlace>, 3> dims_;
  std::vector<TapPlace> places_;
};

}  // namespace cnnplan::onednn
