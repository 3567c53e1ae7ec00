// Maps convolutions, poolings and the padding before them to layers.
#include <algorithm>
#include <numeric>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/node_window.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

// Returns an input that the model sees in the layer's own shape, perhaps with zeros around it.
Activation image_at(const NodeReader& node, const NetworkBuilder& network) {
  const auto* const found = std::get_if<Activation>(&node.input(0));
  if (found == nullptr) throw UnmappedNode("its input is a constant");
  if (found->is_channels_last) {
    throw UnmappedNode("its input " + dims_text(found->dims) + " has channels last");
  }
  std::vector<std::int64_t> inner = found->dims;
  for (std::size_t i = 2; i < inner.size(); ++i) {
    const Margin& margin = found->margins[i + 3 - inner.size()];
    inner[i] -= margin.begin + margin.end;
  }
  if (inner.size() < 3 || !is_plain(inner, network.shape(found->layer))) {
    throw UnmappedNode("its input " + dims_text(found->dims) + " is no image");
  }
  return *found;
}

Activation unpadded_image_at(const NodeReader& node, const NetworkBuilder& network) {
  node.activation(0);
  return image_at(node, network);
}

Value add_pooling(const NodeReader& node, NetworkBuilder& network, const Pooling& pooling) {
  const Activation image = image_at(node, network);
  if (is_point(pooling.window)) return image;
  return network.add_layer(node, pooling, {image});
}

bool has_padding(const Window& window) {
  return std::any_of(window.dims.begin(), window.dims.end(), [](const WindowDim& dim) {
    return dim.padding_begin != 0 || dim.padding_end != 0;
  });
}

Value add_global_pooling(const NodeReader& node, NetworkBuilder& network, PoolingMode mode) {
  const Activation image = unpadded_image_at(node, network);
  return network.add_layer(node, GlobalPooling{.mode = mode}, {image});
}

// Returns true if `axes` are all spatial dims of an image of `rank` dims.
bool are_spatial(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<std::size_t> normal;
  for (const std::int64_t axis : axes) normal.push_back(normal_axis(axis, rank));
  std::sort(normal.begin(), normal.end());
  std::vector<std::size_t> spatial(rank - 2);
  std::iota(spatial.begin(), spatial.end(), 2);
  return normal == spatial;
}

// A reduction over the whole image is a global pooling.
Value add_reduction(const NodeReader& node, NetworkBuilder& network, PoolingMode mode) {
  const Activation image = unpadded_image_at(node, network);
  node.has_no_effect({"noop_with_empty_axes"});  // empty axes are refused
  const auto axes = node.integers_of_either("axes", 1);
  if (!axes || !are_spatial(*axes, image.dims.size())) {
    throw UnmappedNode("reduces over other dims than all of the image");
  }
  Activation pooled = network.add_layer(node, GlobalPooling{.mode = mode}, {image});
  if (node.integer("keepdims", 1) == 0) {
    pooled.dims.resize(2);
    pooled.is_layer_output = false;
  }
  return pooled;
}

std::vector<std::int64_t> kernel_of(const std::vector<std::int64_t>& dims) {
  return {dims.begin() + 2, dims.end()};
}

// Returns the extents of a weight for `image`, which include the extents of its kernel.
std::vector<std::int64_t> weight_dims(const NodeReader& node, const Activation& image) {
  std::vector<std::int64_t> dims = dims_of(node.constant(1));
  if (dims.size() != image.dims.size()) {
    throw UnmappedNode("a weight " + dims_text(dims) + " for an input " + dims_text(image.dims));
  }
  if (node.has("kernel_shape") && node.integers("kernel_shape") != kernel_of(dims)) {
    throw UnmappedNode("a kernel_shape that differs from its weight " + dims_text(dims));
  }
  return dims;
}

[[noreturn]] void refuse_groups(const std::vector<std::int64_t>& weight,
                                std::int64_t groups,
                                const Activation& image) {
  throw UnmappedNode("a weight " + dims_text(weight) + " in " + std::to_string(groups) +
                     " groups for " + std::to_string(image.dims[1]) + " channels");
}

// Adds the weight of a layer, and its bias if the node has one.
void add_parameters(const NodeReader& node, const Activation& y, NetworkBuilder& network) {
  const Constant weight = node.constant(1);
  std::vector<std::int64_t> extents = dims_of(weight);
  if (extents.size() == 5 && extents[2] == 1) extents.erase(extents.begin() + 2);
  if (extents.size() == 3) extents.insert(extents.begin() + 2, 1);
  network.add_tensor(y.layer, "weight", extents, weight);
  if (node.has_input(2)) network.add_bias(y.layer, node.constant(2));
}

}  // namespace

Value map_convolution(const NodeReader& node, NetworkBuilder& network) {
  const Activation image = image_at(node, network);
  const std::vector<std::int64_t> dims = weight_dims(node, image);
  const Convolution convolution{
      .filters = dims[0],
      .window = with_margins(read_window(node, kernel_of(dims), image), image),
      .groups = node.integer("group", 1)};
  if (convolution.groups < 1 || checked_multiply(dims[1], convolution.groups) != image.dims[1]) {
    refuse_groups(dims, convolution.groups, image);
  }
  const Activation y = network.add_layer(node, convolution, {image});
  add_parameters(node, y, network);
  return y;
}

Value map_transposed_convolution(const NodeReader& node, NetworkBuilder& network) {
  const Activation image = unpadded_image_at(node, network);
  const std::vector<std::int64_t> dims = weight_dims(node, image);
  const TransposedWindow window = read_transposed_window(node, kernel_of(dims), image);
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || dims[0] != image.dims[1]) refuse_groups(dims, groups, image);
  const TransposedConvolution transposed{.filters = checked_multiply(dims[1], groups),
                                         .window = window.window,
                                         .output_padding = window.output_padding,
                                         .groups = groups};
  const Activation y = network.add_layer(node, transposed, {image});
  add_parameters(node, y, network);
  return y;
}

Value map_max_pool(const NodeReader& node, NetworkBuilder& network) {
  const Activation image = image_at(node, network);
  node.has_no_effect({"storage_order"});  // of indices, which no layer computes
  Window window = read_window(node, node.integers("kernel_shape"), image);
  if (node.integer("ceil_mode", 0) != 0) window = with_ceil_mode(window, image);
  if (image.has_margin() && !std::holds_alternative<Relu>(network.layer(image.layer).parameters)) {
    throw UnmappedNode("zeros are padded to its input, which may be negative");
  }
  return add_pooling(node, network, {.window = with_margins(window, image)});
}

Value map_average_pool(const NodeReader& node, NetworkBuilder& network) {
  const Activation image = image_at(node, network);
  Window window = read_window(node, node.integers("kernel_shape"), image);
  bool counts_padding = node.integer("count_include_pad", 0) != 0;
  if (image.has_margin()) {
    if (!counts_padding && has_padding(window)) {
      throw UnmappedNode("counts the zeros that are padded to its input, but not its own padding");
    }
    counts_padding = true;
  }
  if (node.integer("ceil_mode", 0) != 0) {
    const Window whole = with_ceil_mode(window, image);
    if (counts_padding && whole != window) {
      throw UnmappedNode("counts its padding, but not the padding that ceil_mode adds");
    }
    window = whole;
  }
  window = with_margins(window, image);
  return add_pooling(node,
                     network,
                     {.mode = PoolingMode::average,
                      .window = window,
                      .count_include_padding = counts_padding && has_padding(window)});
}

Value map_global_average_pool(const NodeReader& node, NetworkBuilder& network) {
  return add_global_pooling(node, network, PoolingMode::average);
}

Value map_global_max_pool(const NodeReader& node, NetworkBuilder& network) {
  return add_global_pooling(node, network, PoolingMode::max);
}

Value map_reduce_mean(const NodeReader& node, NetworkBuilder& network) {
  return add_reduction(node, network, PoolingMode::average);
}

Value map_reduce_max(const NodeReader& node, NetworkBuilder& network) {
  return add_reduction(node, network, PoolingMode::max);
}

Value map_pad(const NodeReader& node, NetworkBuilder& network) {
  Activation image = image_at(node, network);
  const std::size_t rank = image.dims.size();
  const auto pads = node.integers_of_either("pads", 1);
  const auto value = node.reals_at(2).value_or(std::vector<double>{});
  const bool is_zero = value.empty() ? node.real("value", 0) == 0 : value == std::vector{0.0};
  if (node.text("mode", "constant") != "constant" || !is_zero || node.has_input(3)) {
    throw UnmappedNode("pads with something other than zeros, or along listed axes");
  }
  if (!pads || pads->size() != 2 * rank) throw UnmappedNode("needs two pads for each dim");
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = (*pads)[i];
    const std::int64_t end = (*pads)[rank + i];
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (begin < 0 || end < 0 || begin > most || end > most || (i < 2 && begin + end > 0)) {
      throw UnmappedNode("cuts off, or pads samples or channels");
    }
    if (i < 2) continue;
    Margin& margin = image.margins[i + 3 - rank];
    margin = {margin.begin + begin, margin.end + end};
    image.dims[i] = checked_add(image.dims[i], begin + end);
  }
  image.is_layer_output = false;
  return image;
}

}  // namespace cnnplan
