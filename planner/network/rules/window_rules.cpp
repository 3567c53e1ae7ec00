// Checks the windows of layers, dim by dim.
#include "planner/network/rules/window_rules.hpp"

#include <algorithm>
#include <string>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// A window that begins in the padding may step over the whole input, where its taps lie further
// apart than the input is long.
bool every_window_holds_input(const WindowDim& dim, std::int64_t length) {
  if (dim.dilation <= length) return true;
  // The place of the first tap after the padding repeats from window to window. Before it repeats,
  // no two windows have the same place, so one of length + 1 windows misses the input.
  const std::int64_t in_padding = dim.padding_begin / dim.stride + 1;
  const std::int64_t windows = std::min({output_length(length, dim), in_padding, length + 1});
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t last_step = (dim.padding_begin - i * dim.stride) % dim.dilation;
    const std::int64_t first_tap = last_step == 0 ? 0 : dim.dilation - last_step;
    if (first_tap >= length) return false;
  }
  return true;
}

}  // namespace

void check_extents(const WindowDim& dim, const LayerPlace& place) {
  place.require(dim.kernel >= 1, "kernel", dim.kernel, "at least 1");
  place.require(dim.stride >= 1, "stride", dim.stride, "at least 1");
  place.require(dim.dilation >= 1, "dilation", dim.dilation, "at least 1");
  const std::int64_t reach = checked_add(checked_multiply(dim.dilation, dim.kernel - 1), 1);
  const std::string padding_allowed =
      "0 to the reach of the kernel minus 1 = " + std::to_string(reach - 1);
  place.require(dim.padding_begin >= 0 && dim.padding_begin < reach,
                "padding",
                dim.padding_begin,
                padding_allowed);
  place.require(dim.padding_end >= 0 && dim.padding_end < reach,
                "padding_end",
                dim.padding_end,
                padding_allowed);
}

Window whole_image(const Shape& input) {
  Window window;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i)
    window.dims[i].kernel = input[spatial_dims[i]];
  return window;
}

void check_window(const Window& window, const Shape& input, const LayerPlace& place) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    check_extents(dim, place);
    const std::int64_t padded =
        checked_add(checked_add(input[spatial_dims[i]], dim.padding_begin), dim.padding_end);
    place.require(padded >= dim.reach(),
                  "kernel",
                  dim.kernel,
                  "a kernel that fits into the padded input of extent " + std::to_string(padded));
  }
}

void check_pooled(const Window& window, const Shape& input, const LayerPlace& place) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    const std::int64_t length = input[spatial_dims[i]];
    place.require(every_window_holds_input(dim, length),
                  "padding",
                  dim.padding_begin,
                  "padding with which every window of dilation " + std::to_string(dim.dilation) +
                      " holds one of the " + std::to_string(length) + " inputs");
  }
}

Shape windowed_shape(const Window& window, const Shape& input, std::int64_t channels) {
  Shape output = input;
  output[Dim::c] = channels;
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    output[spatial_dims[i]] = output_length(input[spatial_dims[i]], window.dims[i]);
  }
  return output;
}

}  // namespace cnnplan
