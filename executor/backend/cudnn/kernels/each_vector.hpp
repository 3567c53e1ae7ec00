// Runs one thread per vector of channels of every position of a block.
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

}  // namespace cnnplan::cudnn
