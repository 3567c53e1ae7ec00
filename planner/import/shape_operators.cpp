// What changes how the model sees an activation, not what a layer made.
#include <algorithm>
#include <numeric>

#include "planner/import/operators.hpp"
#include "planner/import/reshape.hpp"
#include "planner/import/tensor_values.hpp"
#include "planner/import/unmapped.hpp"

namespace cnnplan {
namespace {

// As in onnx.TensorProto.DataType.
constexpr std::int64_t real_types[] = {1, 10, 11, 16};

}  // namespace

Value map_identity(const NodeReader& node, NetworkBuilder&) {
  return node.input(0);
}

Value map_cast(const NodeReader& node, NetworkBuilder&) {
  const std::int64_t type = node.integer("to", 1);
  if (std::find(std::begin(real_types), std::end(real_types), type) == std::end(real_types)) {
    throw UnmappedNode("makes integers of activations");
  }
  return node.activation(0);
}

Value map_shape(const NodeReader& node, NetworkBuilder&) {
  const auto* const x = std::get_if<Activation>(&node.input(0));
  const std::vector<std::int64_t> dims = x != nullptr ? x->dims : dims_of(node.constant(0));
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto clipped = [rank](std::int64_t end) {
    return std::clamp<std::int64_t>(end < 0 ? end + rank : end, 0, rank);
  };
  const std::int64_t start = clipped(node.integer("start", 0));
  const std::int64_t end = std::max(start, clipped(node.integer("end", rank)));
  return Constant{integer_tensor({end - start}, {dims.begin() + start, dims.begin() + end})};
}

Value map_reshape(const NodeReader& node, NetworkBuilder& network) {
  Activation x = node.activation(0);
  const std::vector<std::int64_t> dims = reshaped_dims(node, x.dims);
  const bool is_same = dims == x.dims;
  const bool keeps_samples = !dims.empty() && dims[0] == network.batch();
  if (!is_same &&
      (!keeps_samples || (dims.size() != 2 && !is_plain(dims, network.shape(x.layer))))) {
    throw UnmappedNode("makes " + dims_text(dims) + " of " + dims_text(x.dims) +
                       "; layers only flatten (N, C, H, W) to (N, C H W)");
  }
  x.dims = dims;
  x.is_layer_output = x.is_layer_output && is_same;
  return x;
}

Value map_transpose(const NodeReader& node, NetworkBuilder&) {
  const Activation x = node.activation(0);
  const std::vector<std::int64_t> order = node.integers("perm");
  std::vector<std::int64_t> same(x.dims.size());
  std::iota(same.begin(), same.end(), 0);
  if (order != same) throw UnmappedNode("exchanges dims of an activation");
  return x;
}

}  // namespace cnnplan
