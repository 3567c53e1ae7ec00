// Walks equal products y[o] += w[k] x[i] in all three directions, a row of outputs at a time.
#include "tests/emulation/cudnn/cudnn_convolution.hpp"

#include <algorithm>
#include <array>

namespace cnnplan::emulation {
namespace {

using Spatial = std::array<std::int64_t, 3>;

// Returns the last three of the list, with `filler` where the list is shorter.
Spatial spatial(const Extents& extents, std::size_t first, std::int64_t filler) {
  Spatial found{filler, filler, filler};
  std::copy(extents.begin() + static_cast<std::ptrdiff_t>(first),
            extents.end(),
            found.end() - static_cast<std::ptrdiff_t>(extents.size() - first));
  return found;
}

struct Shape {
  explicit Shape(const Operation& operation)
      : in(spatial(operation.x.dims, 2, 1)),
        out(spatial(operation.y.dims, 2, 1)),
        kernel(spatial(operation.w.dims, 2, 1)),
        stride(spatial(operation.convolution.stride, 0, 1)),
        dilation(spatial(operation.convolution.dilation, 0, 1)),
        pre(spatial(operation.convolution.pre, 0, 0)),
        samples(operation.x.dims[0]),
        channels(operation.x.dims[1]),
        filters(operation.y.dims[1]),
        group_channels(operation.w.dims[1]) {}

  Spatial in, out, kernel, stride, dilation, pre;
  std::int64_t samples, channels, filters, group_channels;
};

// Returns the outputs [begin, end) of the row that see an input at this tap, and the input of
// output 0.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t input = 0;
};

RowRange row_range(const Shape& shape, std::int64_t tap) {
  const std::int64_t input = tap * shape.dilation[2] - shape.pre[2];
  RowRange range{.begin = 0, .end = shape.out[2], .input = input};
  while (range.begin < range.end && input + range.begin * shape.stride[2] < 0) ++range.begin;
  while (range.end > range.begin && input + (range.end - 1) * shape.stride[2] >= shape.in[2]) {
    --range.end;
  }
  return range;
}

// Calls f(y offset, x offset, row range) for each row of one filter, channel and tap.
template <typename F>
void for_each_row(const Shape& shape, const Spatial& tap, F f) {
  const RowRange range = row_range(shape, tap[2]);
  for (std::int64_t d = 0; d < shape.out[0]; ++d) {
    const std::int64_t x_d = d * shape.stride[0] + tap[0] * shape.dilation[0] - shape.pre[0];
    if (x_d < 0 || x_d >= shape.in[0]) continue;
    for (std::int64_t h = 0; h < shape.out[1]; ++h) {
      const std::int64_t x_h = h * shape.stride[1] + tap[1] * shape.dilation[1] - shape.pre[1];
      if (x_h < 0 || x_h >= shape.in[1]) continue;
      f((d * shape.out[1] + h) * shape.out[2], (x_d * shape.in[1] + x_h) * shape.in[2], range);
    }
  }
}

// Calls f(sample, filter, channel, weight offset, tap) for all of them.
template <typename F>
void for_each_tap(const Shape& shape, F f) {
  const std::int64_t group_filters = shape.filters / (shape.channels / shape.group_channels);
  for (std::int64_t n = 0; n < shape.samples; ++n) {
    std::int64_t weight = 0;
    for (std::int64_t k = 0; k < shape.filters; ++k) {
      for (std::int64_t c = 0; c < shape.group_channels; ++c) {
        const std::int64_t channel = k / group_filters * shape.group_channels + c;
        for (std::int64_t d = 0; d < shape.kernel[0]; ++d) {
          for (std::int64_t h = 0; h < shape.kernel[1]; ++h) {
            for (std::int64_t w = 0; w < shape.kernel[2]; ++w) {
              f(n * shape.filters + k, n * shape.channels + channel, weight++, Spatial{d, h, w});
            }
          }
        }
      }
    }
  }
}

std::int64_t product(const Spatial& extents) {
  return extents[0] * extents[1] * extents[2];
}

}  // namespace

Dense convolve(const Operation& operation, const Dense& x, const Dense& w, const Dense& y) {
  const Shape shape(operation);
  Dense result(static_cast<std::size_t>(volume(operation.output())), 0.0);
  for_each_tap(
      shape,
      [&](std::int64_t y_map, std::int64_t x_map, std::int64_t tap_offset, const Spatial& tap) {
        const std::int64_t y_first = y_map * product(shape.out);
        const std::int64_t x_first = x_map * product(shape.in);
        const std::int64_t step = shape.stride[2];
        for_each_row(
            shape, tap, [&](std::int64_t y_offset, std::int64_t x_offset, const RowRange& row) {
              for (std::int64_t i = row.begin; i < row.end; ++i) {
                const auto y_at = static_cast<std::size_t>(y_first + y_offset + i);
                const auto x_at =
                    static_cast<std::size_t>(x_first + x_offset + row.input + i * step);
                const auto w_at = static_cast<std::size_t>(tap_offset);
                switch (operation.kind) {
                  case OperationKind::backward_data:
                    result[x_at] += w[w_at] * y[y_at];
                    break;
                  case OperationKind::backward_filter:
                    result[w_at] += x[x_at] * y[y_at];
                    break;
                  default:
                    result[y_at] += w[w_at] * x[x_at];
                    break;
                }
              }
            });
      });
  return result;
}

}  // namespace cnnplan::emulation
