// Finds the positions that the taps of a window meet, for one position of its outputs or inputs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend/onednn/direct/direct_loops.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Keeps memory for one thread.
class TapPlaces {
 public:
  // Reads `in`, `out` and `window` of `convolution`.
  explicit TapPlaces(const KernelSpec& convolution);

  // Returns the inputs that an output position reads. The span holds until the next call.
  std::span<const TapPlace> of_output(std::int64_t position);
  // Returns the outputs that read an input position. The span holds until the next call.
  std::span<const TapPlace> of_input(std::int64_t position);

 private:
  // Splits a position of `from`, and finds the positions of `to` with `find` in every dim.
  template <typename Find>
  std::span<const TapPlace> join(std::int64_t position,
                                 const Shape& from,
                                 const Shape& to,
                                 Find find);

  KernelSpec spec_;
  std::array<std::vector<TapPlace>, 3> dims_;
  std::vector<TapPlace> places_;
};

}  // namespace cnnplan::onednn
