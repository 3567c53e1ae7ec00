// Maps operators that take part of an activation: Slice and Split along the channels.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {
namespace {

using Dims = std::vector<std::int64_t>;

Activation add_slice(const NodeReader& node,
                     NetworkBuilder& network,
                     const Activation& x,
                     Range channels) {
  if (channels.size() < 1) throw UnmappedNode("a part without channels");
  if (channels.size() == x.dims[1]) return x;
  const Slice slice{.first_channel = channels.begin, .channels = channels.size()};
  return network.add_layer(node, slice, {x});
}

Dims required(std::optional<Dims> numbers) {
  if (!numbers) throw UnmappedNode("starts or ends are missing");
  return *std::move(numbers);
}

// Returns the range of a slice along one dim; negative positions count from the end, as in Python.
Range clipped(std::int64_t begin, std::int64_t end, std::int64_t extent) {
  const auto position = [extent](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
  };
  return {position(begin), position(end)};
}

// Returns the channels of each output. Without sizes in the node they are equal, except the last.
Dims part_sizes(const NodeReader& node, std::int64_t channels) {
  const std::int64_t parts = node.node().outputs.size();
  const auto given = node.integers_of_either("split", 1);
  const std::int64_t said =
      given ? static_cast<std::int64_t>(given->size()) : node.integer("num_outputs", parts);
  if (said != parts) {
    throw UnmappedNode("splits into " + std::to_string(said) + " parts, with " +
                       std::to_string(parts) + " outputs");
  }
  Dims equal(parts, (channels - 1) / parts + 1);
  equal.back() = channels - (parts - 1) * equal.front();
  Dims sizes = given.value_or(equal);
  std::int64_t sum = 0;
  for (const std::int64_t own : sizes) sum = checked_add(sum, own);
  if (sum != channels || *std::min_element(sizes.begin(), sizes.end()) < 0) {
    throw UnmappedNode("splits " + std::to_string(channels) + " channels into " + dims_text(sizes));
  }
  return sizes;
}

}  // namespace

Value map_slice(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = node.activation(0);
  const Dims starts = required(node.integers_of_either("starts", 1));
  const Dims ends = required(node.integers_of_either("ends", 2));
  Dims first_axes(starts.size());
  std::iota(first_axes.begin(), first_axes.end(), 0);
  const Dims axes = node.integers_of_either("axes", 3).value_or(first_axes);
  const Dims steps = node.integers_at(4).value_or(Dims(starts.size(), 1));
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    throw UnmappedNode("unequal numbers of starts, ends, axes and steps");
  }
  Range channels{0, x.dims.at(1)};
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = normal_axis(axes[i], x.dims.size());
    const Range range = clipped(starts[i], ends[i], x.dims[axis]);
    if (!seen.insert(axis).second) throw UnmappedNode("an axis twice");
    if (steps[i] != 1) throw UnmappedNode("slices by steps");
    if (axis == 1) channels = range;
    if (axis != 1 && range.size() != x.dims[axis]) {
      throw UnmappedNode("slices dim " + std::to_string(axis) + "; layers only slice channels");
    }
  }
  if (channels.size() != x.dims[1]) network.require_plain(x);
  return add_slice(node, network, x, channels);
}

std::vector<Value> map_split(const NodeReader& node, NetworkBuilder& network) {
  const Activation x = node.activation(0);
  const std::size_t axis = normal_axis(node.integer("axis", 0), x.dims.size());
  if (axis != 1) {
    throw UnmappedNode("splits dim " + std::to_string(axis) + "; layers only split channels");
  }
  network.require_plain(x);
  std::vector<Value> parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : part_sizes(node, x.dims[1])) {
    const Range range{begin, begin + size};
    // An output that no node uses becomes no layer.
    const std::string& output = node.node().outputs[parts.size()];
    const bool is_used = !output.empty() && network.is_used(output);
    parts.push_back(is_used ? Value{add_slice(node, network, x, range)} : Value{Unknown{}});
    begin = range.end;
  }
  return parts;
}

}  // namespace cnnplan
