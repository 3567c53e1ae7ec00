// Copies or adds a block between two channels-last buffers, in the longest runs both allow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "executor/backend/tensor_view.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Describes a copy of counts[0] x .. x counts[3] runs, in the order n, d, h, w. A run has
// `run_elements` contiguous elements in both buffers. The next run in a dim begins a stride later.
// Strides are in elements. Nothing is owned.
struct BoxCopy {
  void* destination = nullptr;
  const void* source = nullptr;
  ElementType element = ElementType::fp32;
  std::int64_t run_elements = 0;
  std::int64_t zeros = 0;  // elements after each run of the destination that become 0
  std::array<std::int64_t, 4> counts{1, 1, 1, 1};
  std::array<std::int64_t, 4> destination_strides{};
  std::array<std::int64_t, 4> source_strides{};

  template <typename T>
  T* destination_as() const {
    return static_cast<T*>(destination);
  }
  template <typename T>
  const T* source_as() const {
    return static_cast<const T*>(source);
  }
};

// Returns the copy of a block from one view to the other.
// @throws std::logic_error unless destination.box == source.box
BoxCopy make_box_copy(const TensorView& destination, const TensorView& source, ElementType element);

// Returns the type as which elements of a buffer are copied: their own type, or for int32 a type of
// equal size.
ElementType moved_as(BufferElement element);

// Overwrites the destination, and the zeros after its runs. Nothing happens when it is the memory
// of the source. Otherwise, the source and the destination must not overlap. Both blocks are in
// memory of the host, here and in add_box().
void copy_box(const BoxCopy& copy);
// Computes destination += source, element by element. 16-bit elements are added in float and
// rounded once. A sum ignores BoxCopy::zeros.
void add_box(const BoxCopy& copy);

}  // namespace cnnplan
