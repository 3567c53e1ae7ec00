// Walks several views of one shape at once, in the longest contiguous runs that all of them have.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/positions.hpp"

namespace cnnplan::onednn {

// Says how a block is divided into runs. A run has `positions` consecutive positions with all
// channels, and `loops` has the number of runs in each of n, d, h and w, with 1 for c.
struct RunExtents {
  Shape loops;
  std::int64_t positions = 1;
};
// Lists the dims that positions have, from the outermost in memory on.
inline constexpr std::array<Dim, 4> position_dims{Dim::n, Dim::d, Dim::h, Dim::w};

// Returns the longest runs that are contiguous in all views. @pre all views have this shape
template <std::size_t view_count>
RunExtents run_extents(const Shape& shape, const std::array<TensorView, view_count>& views) {
  RunExtents extents;
  bool contiguous = true;
  for (std::size_t i = position_dims.size(); i-- > 0;) {
    const std::int64_t extent = shape[position_dims[i]];
    const std::int64_t stride = extents.positions * shape[Dim::c];
    for (const TensorView& view : views) {
      contiguous = contiguous && (extent == 1 || view.stride(position_dims[i]) == stride);
    }
    (contiguous ? extents.positions : extents.loops[position_dims[i]]) *= extent;
  }
  return extents;
}

// Calls f(positions, pointers...) for each run, with one pointer per view to the first element of
// the run. All runs together cover every element of `shape` once. A run is `positions` times the
// channels of every view, without gaps. Elements are the types of the views' numbers.
// @throws std::logic_error unless all views have this shape
template <typename... Elements, typename F>
void for_each_run(const Shape& shape,
                  const std::array<TensorView, sizeof...(Elements)>& views,
                  F f) {
  for (const TensorView& view : views) require_shape(view, shape);
  if (volume(shape) == 0) return;
  const RunExtents extents = run_extents(shape, views);
  for_each_position(extents.loops, [&](const Position& place) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      f(extents.positions, at<Elements>(views[i], place)...);
    }
    (std::index_sequence_for<Elements...>{});
  });
}

}  // namespace cnnplan::onednn
