// Walks several views of one shape at once, in the longest contiguous runs that all of them have.
#pragma once

#include <array>
#include <cstdint>

#include "executor/backend/function_kernel.hpp"

namespace cnnplan::onednn {

// A contiguous piece of every view: `positions` times the channels of the view.
template <std::size_t view_count>
struct Run {
  std::array<float*, view_count> data{};
  std::int64_t positions = 0;
};

// How often each of (n, d, h, w) must be stepped through, and the positions of one run.
struct RunExtents {
  std::array<std::int64_t, 4> loops{1, 1, 1, 1};
  std::int64_t positions = 1;
};
inline constexpr std::array<Dim, 4> position_dims{Dim::n, Dim::d, Dim::h, Dim::w};

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
    (contiguous ? extents.positions : extents.loops[i]) *= extent;
  }
  return extents;
}

// Calls f(Run) until every element of `shape` was covered once.
template <std::size_t view_count, typename F>
void for_each_run(const Shape& shape, const std::array<TensorView, view_count>& views, F f) {
  for (const TensorView& view : views) require_shape(view, shape);
  if (volume(shape) == 0) return;
  const RunExtents extents = run_extents(shape, views);
  const auto& [count_n, count_d, count_h, count_w] = extents.loops;
  Run<view_count> run{.data = {}, .positions = extents.positions};
  for (std::int64_t n = 0; n < count_n; ++n) {
    for (std::int64_t d = 0; d < count_d; ++d) {
      for (std::int64_t h = 0; h < count_h; ++h) {
        for (std::int64_t w = 0; w < count_w; ++w) {
          for (std::size_t i = 0; i < view_count; ++i) {
            const TensorView& view = views[i];
            run.data[i] = view.template as<float>() + n * view.stride(Dim::n) +
                          d * view.stride(Dim::d) + h * view.stride(Dim::h) +
                          w * view.stride(Dim::w);
          }
          f(run);
        }
      }
    }
  }
}

}  // namespace cnnplan::onednn
