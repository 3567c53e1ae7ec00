// Reads spatial attributes dim by dim. Images without depth or height have an extent of 1 there.
#include "planner/import/onnx/node_window.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t max_entry = std::numeric_limits<std::int32_t>::max();

// Returns the `count` entries of one attribute, or `absent` for each if the attribute is absent.
std::vector<std::int64_t> entries_of(const std::string& what,
                                     std::vector<std::int64_t> entries,
                                     std::size_t count,
                                     std::int64_t absent) {
  if (entries.empty()) entries.assign(count, absent);
  const bool in_range = std::all_of(entries.begin(), entries.end(), [absent](std::int64_t entry) {
    return entry >= absent && entry <= max_entry;
  });
  if (entries.size() != count || !in_range) {
    throw UnmappedNode(what + " " + dims_text(entries) + "; allowed: " + std::to_string(count) +
                       " entries from " + std::to_string(absent) + " to " +
                       std::to_string(max_entry));
  }
  return entries;
}

enum class AutoPad { none, upper, lower };

AutoPad auto_pad_of(const NodeReader& node) {
  const std::string text = node.text("auto_pad", "NOTSET");
  if (text == "SAME_UPPER") return AutoPad::upper;
  if (text == "SAME_LOWER") return AutoPad::lower;
  if (text == "NOTSET" || text == "VALID" || text.empty()) return AutoPad::none;
  throw UnmappedNode("auto_pad '" + text + '\'');
}

// Pads so that the number of outputs is the number of inputs divided by the stride, rounded up.
void pad_same(WindowDim& dim, std::int64_t length, AutoPad mode) {
  const std::int64_t outputs = (length + dim.stride - 1) / dim.stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (outputs - 1) * dim.stride + dim.reach() - length);
  const std::int64_t less = total / 2;
  dim.padding_begin = mode == AutoPad::upper ? less : total - less;
  dim.padding_end = total - dim.padding_begin;
}

// Returns which of d, h and w the first spatial dim of an image is.
std::size_t first_dim(const Activation& image) {
  return 5 - image.dims.size();
}

// Reads the window without the padding that "auto_pad" adds.
Window read_extents(const NodeReader& node,
                    const std::vector<std::int64_t>& kernel,
                    const Activation& image) {
  if (image.dims.size() < 3 || image.dims.size() > 5) {
    throw UnmappedNode("its input " + dims_text(image.dims) + " is no image");
  }
  const std::size_t count = image.dims.size() - 2;
  const auto sizes = entries_of("a kernel of", kernel, count, 1);
  const auto strides = entries_of("strides", node.integers("strides"), count, 1);
  const auto dilations = entries_of("dilations", node.integers("dilations"), count, 1);
  const auto pads = entries_of("pads", node.integers("pads"), 2 * count, 0);
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  const bool are_ignored = node.has("output_shape");  // as the standard says
  const bool has_pads = std::any_of(pads.begin(), pads.end(), [](auto pad) { return pad != 0; });
  if (has_pads && !are_ignored && auto_pad != "NOTSET" && !auto_pad.empty()) {
    throw UnmappedNode("pads " + dims_text(pads) + " and auto_pad '" + auto_pad + "' at once");
  }
  Window window;
  for (std::size_t i = 0; i < count; ++i) {
    WindowDim& dim = window.dims[first_dim(image) + i];
    dim = {.kernel = sizes[i],
           .stride = strides[i],
           .padding_begin = pads[i],
           .padding_end = pads[count + i],
           .dilation = dilations[i]};
  }
  return window;
}

// Sets the least padding with which the image has `outputs` outputs.
void pad_transposed(WindowDim& dim,
                    std::int64_t& output_padding,
                    std::int64_t length,
                    std::int64_t outputs,
                    AutoPad mode) {
  dim.padding_begin = dim.padding_end = 0;
  const std::int64_t total = checked_add(transposed_length(length, dim, output_padding), -outputs);
  const std::int64_t less = std::max<std::int64_t>(0, total) / 2;
  dim.padding_begin = mode == AutoPad::upper ? less : std::max<std::int64_t>(0, total) - less;
  dim.padding_end = std::max<std::int64_t>(0, total) - dim.padding_begin;
  output_padding += std::max<std::int64_t>(0, -total);
}

}  // namespace

Window read_window(const NodeReader& node,
                   const std::vector<std::int64_t>& kernel,
                   const Activation& image) {
  Window window = read_extents(node, kernel, image);
  const AutoPad mode = auto_pad_of(node);
  if (mode == AutoPad::none) return window;
  for (std::size_t i = first_dim(image); i < window.dims.size(); ++i) {
    pad_same(window.dims[i], image.dims[2 + i - first_dim(image)], mode);
  }
  return window;
}

TransposedWindow read_transposed_window(const NodeReader& node,
                                        const std::vector<std::int64_t>& kernel,
                                        const Activation& image) {
  TransposedWindow result{.window = read_extents(node, kernel, image)};
  const AutoPad mode = auto_pad_of(node);
  const std::size_t count = image.dims.size() - 2;
  const auto added = entries_of("output_padding", node.integers("output_padding"), count, 0);
  const auto shape = entries_of("output_shape", node.integers("output_shape"), count, 0);
  const bool has_shape = node.has("output_shape");
  for (std::size_t i = 0; i < count; ++i) {
    WindowDim& dim = result.window.dims[first_dim(image) + i];
    std::int64_t& output_padding = result.output_padding[first_dim(image) + i];
    const std::int64_t length = image.dims[2 + i];
    output_padding = added[i];
    if (!has_shape && mode == AutoPad::none) continue;
    const std::int64_t outputs = has_shape ? shape[i] : checked_multiply(length, dim.stride);
    pad_transposed(dim, output_padding, length, outputs, mode);
  }
  return result;
}

Window with_ceil_mode(Window window, const Activation& image) {
  for (std::size_t i = first_dim(image); i < window.dims.size(); ++i) {
    WindowDim& dim = window.dims[i];
    const std::int64_t length = image.dims[2 + i - first_dim(image)];
    const std::int64_t padded = length + dim.padding_begin + dim.padding_end;
    if (padded < dim.reach()) continue;
    std::int64_t last = (padded - dim.reach() + dim.stride - 1) / dim.stride * dim.stride;
    if (last >= length + dim.padding_begin) last -= dim.stride;
    dim.padding_end += std::max<std::int64_t>(0, last + dim.reach() - padded);
  }
  return window;
}

Window with_margins(Window window, const Activation& image) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    window.dims[i].padding_begin += image.margins[i].begin;
    window.dims[i].padding_end += image.margins[i].end;
  }
  return window;
}

bool is_point(const Window& window) {
  return window == Window{};
}

}  // namespace cnnplan
