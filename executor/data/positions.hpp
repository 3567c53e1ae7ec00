// Visits the positions of a channels-last block, which may have gaps between positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/backend/tensor_view.hpp"

namespace cnnplan {

// Holds a sample and a place in its image, counted from the first of a block. It has no channel.
struct Position {
  std::int64_t n = 0;
  std::int64_t d = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
};

// Calls visit(position, channels) for every position of a view of elements T, in the order of
// memory. `channels` points at the C elements of the position.
template <typename T, typename Visit>
void for_each_position(const TensorView& view, const Visit& visit) {
  const Shape shape = view.shape();
  for (Position at; at.n < shape[Dim::n]; ++at.n) {
    for (at.d = 0; at.d < shape[Dim::d]; ++at.d) {
      for (at.h = 0; at.h < shape[Dim::h]; ++at.h) {
        T* row = view.as<T>() + at.n * view.stride(Dim::n) + at.d * view.stride(Dim::d) +
                 at.h * view.stride(Dim::h);
        for (at.w = 0; at.w < shape[Dim::w]; ++at.w) visit(at, row + at.w * view.stride(Dim::w));
      }
    }
  }
}

// Returns a view of one sample: the one that is `index` samples after the first one of `view`.
inline TensorView sample_of(const TensorView& view,
                            std::int64_t index,
                            std::int64_t element_bytes) {
  TensorView sample = view;
  sample.data = view.as<std::byte>() + index * view.stride(Dim::n) * element_bytes;
  const std::int64_t begin = view.box[Dim::n].begin + index;
  sample.box[Dim::n] = {begin, begin + 1};
  return sample;
}

}  // namespace cnnplan
