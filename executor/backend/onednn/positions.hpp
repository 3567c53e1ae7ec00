// Loops over the positions of a block, whose channels are contiguous.
#pragma once

#include <cstdint>

#include "executor/backend/tensor_view.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan::onednn {

// Holds a sample and a place in its image, counted from the first of a block. It has no channel.
struct Position {
  std::int32_t n = 0;
  std::int32_t d = 0;
  std::int32_t h = 0;
  std::int32_t w = 0;
};

// Returns the address of the first channel of a position, for a view of elements of type T.
template <typename T>
T* at(const TensorView& view, const Position& place) {
  return view.as<T>() + place.n * view.stride(Dim::n) + place.d * view.stride(Dim::d) +
         place.h * view.stride(Dim::h) + place.w * view.stride(Dim::w);
}

// Calls f(position) for all positions of a block of this shape, in the order of memory.
template <typename F>
void for_each_position(const Shape& shape, F f) {
  Position place;
  for (place.n = 0; place.n < shape[Dim::n]; ++place.n) {
    for (place.d = 0; place.d < shape[Dim::d]; ++place.d) {
      for (place.h = 0; place.h < shape[Dim::h]; ++place.h) {
        for (place.w = 0; place.w < shape[Dim::w]; ++place.w) f(place);
      }
    }
  }
}

}  // namespace cnnplan::onednn
