// Views a block of a tensor in memory, channels-last, without owning it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// `data` points at the first element of `box`. Strides are in elements, in the order of Dim. The
// stride of c is 1, and the stride of w is the number of channels in memory.
struct TensorView {
  void* data = nullptr;
  Box box;  // global indices
  std::array<std::int64_t, dim_count> strides{};

  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
  Shape shape() const { return shape_of(box); }
  std::int64_t stride(Dim dim) const { return strides[static_cast<std::size_t>(dim)]; }
};

// Holds the operands of a kernel, in the order of the table in planner/kernel/kernel_kinds.cpp. The
// views belong to the caller.
using Operands = std::span<const TensorView>;

// Returns a view of the block `inner` inside a dense buffer that holds the block `outer`. Both are
// in global indices. `element_bytes` is the size of an element.
// @throws std::logic_error unless contains(outer, inner)
TensorView view_of(void* buffer, const Box& outer, const Box& inner, std::int64_t element_bytes);
// Returns true if the elements of the view follow each other without gaps.
bool is_dense(const TensorView& view);

}  // namespace cnnplan
