// Runs one thread for each vector of channels of every position of a block, or for each vector of
// an array.
#pragma once

#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/cudnn/kernels/positions.hpp"

namespace cnnplan::cudnn {

// Is the body of the launch of for_each_vector().
template <int width, typename Body>
struct EachVector {
  Positions positions;
  Divider vectors;  // divides by the number of vectors of a position
  Body body;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, vector] = divide(index, vectors);
    body(positions.place(place), vector * width);
  }
};

// Calls body(Place, first channel) on the device for every vector of `width` of the `channels` of
// each position, in any order. The work is put in `stream`, with a copy of `body`.
// @pre width divides the channels
// @throws as launch()
template <int width, typename Body>
void for_each_vector(cudaStream_t stream,
                     const Positions& positions,
                     std::int64_t channels,
                     const Body& body) {
  const std::int64_t vectors = channels / width;
  if (positions.count() * vectors == 0) return;
  launch(stream,
         positions.count() * vectors,
         EachVector<width, Body>{positions, Divider(vectors), body});
}

// Calls body(Position, first channel) for every vector of channels of a block of `shape`.
template <int width, typename Body>
void for_each_vector(cudaStream_t stream, const Shape& shape, const Body& body) {
  for_each_vector<width>(stream, Positions(shape), shape[Dim::c], body);
}

// Is the body of the launch of for_each_of_array().
template <int width, typename Body>
struct EachOfArray {
  std::uint32_t count;
  Body body;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    std::uint32_t i = index * width;
    if (i + width <= count) return body.template run<width>(i);
    for (; i < count; ++i) body.template run<1>(i);
  }
};

// Calls body.run<width>(first) for every vector of an array of `count` elements, and body.run<1>(i)
// for the elements after the last vector, in any order. The work is put in `stream`, with a copy of
// `body`. @throws as launch()
template <int width, typename Body>
void for_each_of_array(cudaStream_t stream, std::int64_t count, const Body& body) {
  require_launchable(count);
  launch(stream,
         (count + width - 1) / width,
         EachOfArray<width, Body>{static_cast<std::uint32_t>(count), body});
}

}  // namespace cnnplan::cudnn
