// Maps operators that change how the model sees an activation, but not the layer's output.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "planner/import/folding/reshape.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

// These numbers come from onnx.TensorProto.DataType.
constexpr std::int64_t real_types[] = {1, 10, 11, 16};

// Returns true if dims 1 and 2 can be channels in groups.
bool has_groups(const std::vector<std::int64_t>& dims, std::int64_t channels) {
  return dims.size() >= 3 && channels % dims[1] == 0 && channels / dims[1] == dims[2];
}

Activation exchanged(Activation x) {
  ChannelGroups groups = x.groups.value_or(ChannelGroups{.count = x.dims[1]});
  groups.are_exchanged = !groups.are_exchanged;
  x.groups = groups;
  x.is_layer_output = false;
  std::swap(x.dims[1], x.dims[2]);
  return x;
}

// Returns the channels in one dim. They are shuffled if groups were exchanged, unless there is only
// one group or one channel per group.
Activation without_groups(const NodeReader& node, NetworkBuilder& network, Activation x) {
  const ChannelGroups groups = x.groups.value_or(ChannelGroups{});
  x.groups.reset();
  const bool moves = groups.count > 1 && groups.count < network.shape(x.layer)[Dim::c];
  if (!groups.are_exchanged || !moves) return x;
  return network.add_layer(node, ChannelShuffle{.groups = groups.count}, {x});
}

// Returns the order that makes channels the last dim, or dim 1 again.
std::vector<std::int64_t> order_of_layout(std::size_t rank, bool makes_channels_last) {
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  const auto second = order.begin() + 1;
  std::rotate(second, makes_channels_last ? second + 1 : order.end() - 1, order.end());
  return order;
}

// Exchanges the layouts (N, C, H, W) and (N, H, W, C). Returns nothing for another order of dims.
std::optional<Activation> in_other_layout(const std::vector<std::int64_t>& order,
                                          const NetworkBuilder& network,
                                          Activation x) {
  constexpr std::size_t least_rank = 4;
  const bool is_plain_image = !x.groups && is_plain(x.dims, network.shape(x.layer));
  const bool has_layout = x.is_channels_last || is_plain_image;
  if (x.dims.size() < least_rank || !has_layout) return std::nullopt;
  if (order != order_of_layout(x.dims.size(), !x.is_channels_last)) return std::nullopt;
  const auto second = x.dims.begin() + 1;
  std::rotate(second, x.is_channels_last ? x.dims.end() - 1 : second + 1, x.dims.end());
  x.is_channels_last = !x.is_channels_last;
  x.is_layer_output = false;
  return x;
}

}  // namespace

Value map_identity(const NodeReader& node, NetworkBuilder&) {
  return node.input(0);
}

Value map_cast(const NodeReader& node, NetworkBuilder&) {
  node.has_no_effect({"saturate"});  // of types that are refused
  const std::int64_t type = node.integer("to", 1);
  if (std::find(std::begin(real_types), std::end(real_types), type) == std::end(real_types)) {
    throw UnmappedNode("makes integers of activations");
  }
  return in_any_layout(node, 0);
}

Value map_shape(const NodeReader& node, NetworkBuilder&) {
  const auto* const x = std::get_if<Activation>(&node.input(0));
  const std::vector<std::int64_t> dims = x != nullptr ? x->dims : dims_of(node.constant(0));
  const std::int64_t rank = dims.size();
  const auto clipped = [rank](std::int64_t end) {
    return std::clamp<std::int64_t>(end < 0 ? end + rank : end, 0, rank);
  };
  const std::int64_t start = clipped(node.integer("start", 0));
  const std::int64_t end = std::max(start, clipped(node.integer("end", rank)));
  return Constant{integer_tensor({end - start}, {dims.begin() + start, dims.begin() + end})};
}

// One Reshape splits the channels of (N, C, ...) into groups, and another one joins them.
Value map_reshape(const NodeReader& node, NetworkBuilder& network) {
  Activation x = node.view(0);
  const std::vector<std::int64_t> dims = reshaped_dims(node, x.dims);
  if (dims == x.dims) return x;
  if (x.is_channels_last) throw UnmappedNode("reshapes " + dims_text(x.dims) + ", channels last");
  const std::vector<std::int64_t> seen = x.dims;
  x = without_groups(node, network, std::move(x));
  x.dims = dims;
  x.is_layer_output = false;
  if (!dims.empty() && dims[0] == network.batch()) {
    const Shape& shape = network.shape(x.layer);
    if (dims.size() == 2 || is_plain(dims, shape)) return x;
    if (has_groups(dims, shape[Dim::c])) {
      x.groups = ChannelGroups{.count = dims[1]};
      return x;
    }
  }
  throw UnmappedNode("makes " + dims_text(dims) + " of " + dims_text(seen) +
                     "; layers only flatten (N, C, H, W) to (N, C H W), or shuffle channels");
}

// The two dims of channels in groups may be exchanged, and channels may become the last dim.
Value map_transpose(const NodeReader& node, NetworkBuilder& network) {
  Activation x = node.view(0);
  const std::vector<std::int64_t> order = node.integers("perm");
  std::vector<std::int64_t> expected(x.dims.size());
  std::iota(expected.begin(), expected.end(), 0);
  if (order == expected) return x;
  if (auto other = in_other_layout(order, network, x)) return *std::move(other);
  if (!x.is_channels_last && has_groups(x.dims, network.shape(x.layer)[Dim::c])) {
    std::swap(expected[1], expected[2]);
    if (order == expected) return exchanged(std::move(x));
  }
  throw UnmappedNode("exchanges dims of an activation");
}

}  // namespace cnnplan
