// Implements the rules of each operator that changes dims.
#include "planner/import/folding/reshape.hpp"

#include <set>
#include <string>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr std::size_t max_rank = 16;

std::int64_t product(Dims::const_iterator begin, Dims::const_iterator end) {
  std::int64_t count = 1;
  for (; begin != end; ++begin) count = checked_multiply(count, *begin);
  return count;
}

Dims flattened(const NodeReader& node, const Dims& dims) {
  const std::int64_t axis = node.integer("axis", 1);
  const std::size_t first =
      std::cmp_equal(axis, dims.size()) ? dims.size() : normal_axis(axis, dims.size());
  const auto middle = dims.begin() + first;
  return {product(dims.begin(), middle), product(middle, dims.end())};
}

// A target of 0 keeps the dim, and -1 stands for the remaining elements.
Dims retargeted(const NodeReader& node, const Dims& dims) {
  Dims target = node.integers_at(1).value_or(Dims{});
  const bool keeps_zero = node.integer("allowzero", 0) == 0;
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && keeps_zero && i < dims.size()) target[i] = dims[i];
    if (target[i] == -1 && open == nullptr) {
      open = &target[i];
    } else if (target[i] < 1) {
      throw UnmappedNode("a target " + dims_text(target));
    } else {
      known = checked_multiply(known, target[i]);
    }
  }
  if (open != nullptr) *open = product(dims.begin(), dims.end()) / known;
  return target;
}

Dims squeezed(const NodeReader& node, const Dims& dims) {
  const auto axes = node.integers_of_either("axes", 1);
  std::set<std::size_t> dropped;
  for (const std::int64_t axis : axes.value_or(Dims{})) {
    dropped.insert(normal_axis(axis, dims.size()));
  }
  Dims left;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool is_dropped = axes ? dropped.contains(i) : dims[i] == 1;
    if (!is_dropped) left.push_back(dims[i]);
  }
  return left;
}

Dims unsqueezed(const NodeReader& node, const Dims& dims) {
  const Dims axes = node.integers_of_either("axes", 1).value_or(Dims{});
  const std::size_t rank = dims.size() + axes.size();
  if (rank > max_rank) throw UnmappedNode("too many dims");
  std::set<std::size_t> added;
  for (const std::int64_t axis : axes) added.insert(normal_axis(axis, rank));
  if (added.size() != axes.size()) throw UnmappedNode("an axis twice");
  Dims result;
  auto next = dims.begin();
  for (std::size_t i = 0; i < rank; ++i) result.push_back(added.contains(i) ? 1 : *next++);
  return result;
}

}  // namespace

std::vector<std::int64_t> reshaped_dims(const NodeReader& node,
                                        const std::vector<std::int64_t>& dims) {
  const std::string& type = node.node().type;
  Dims result = type == "Flatten"   ? flattened(node, dims)
                : type == "Reshape" ? retargeted(node, dims)
                : type == "Squeeze" ? squeezed(node, dims)
                                    : unsqueezed(node, dims);
  if (result.size() > max_rank ||
      product(result.begin(), result.end()) != product(dims.begin(), dims.end())) {
    throw UnmappedNode("makes " + dims_text(result) + " of " + dims_text(dims));
  }
  return result;
}

}  // namespace cnnplan
