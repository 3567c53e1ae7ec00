// Picks numbers from constant lists, and joins lists.
#include <algorithm>

#include "planner/base/checked.hpp"
#include "planner/import/folding/constant_folds.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

// Returns the elements of `tensor` at these positions, with other dims.
TensorPointer picked(const OnnxTensor& tensor,
                     const Integers& dims,
                     const std::vector<std::size_t>& from) {
  if (is_integer(tensor)) {
    const Integers values = integers_of(tensor);
    Integers result;
    for (const std::size_t i : from) result.push_back(values.at(i));
    return integer_tensor(dims, result);
  }
  const Reals values = reals_of(tensor);
  Reals result;
  for (const std::size_t i : from) result.push_back(values.at(i));
  return real_tensor(dims, result);
}

}  // namespace

Constant fold_constant_of_shape(const NodeReader& node) {
  const Integers dims = integers_of(*small_constant(node, 0));
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent < 0) throw UnmappedNode("a shape " + dims_text(dims));
    count = checked_multiply(count, extent);
  }
  if (count > max_folded_elements) throw UnmappedNode("a constant of " + dims_text(dims));
  const TensorPointer value = node.tensor("value");
  if (value != nullptr && element_count(*value) != 1) throw UnmappedNode("repeats no number");
  const std::vector<std::size_t> first(count, 0);
  return {value == nullptr ? picked(*real_tensor({1}, {0}), dims, first)
                           : picked(*value, dims, first)};
}

// Picks several numbers of a list, or one.
Constant fold_gather(const NodeReader& node) {
  const TensorPointer tensor = small_constant(node, 0);
  const TensorPointer indices = small_constant(node, 1);
  if (tensor->dims.size() != 1 || node.integer("axis", 0) != 0) {
    throw UnmappedNode("picks from a constant that is no list");
  }
  std::vector<std::size_t> from;
  for (const std::int64_t index : integers_of(*indices)) {
    from.push_back(normal_axis(index, tensor->dims[0]));
  }
  return {picked(*tensor, indices->dims, from)};
}

Constant fold_slice(const NodeReader& node) {
  const TensorPointer tensor = small_constant(node, 0);
  const auto starts = node.integers_of_either("starts", 1);
  const auto ends = node.integers_of_either("ends", 2);
  const Integers axes = node.integers_of_either("axes", 3).value_or(Integers{0});
  const Integers steps = node.integers_at(4).value_or(Integers{1});
  if (tensor->dims.size() != 1 || !starts || !ends || starts->size() != 1 || ends->size() != 1 ||
      (axes != Integers{0} && axes != Integers{-1}) || steps != Integers{1}) {
    throw UnmappedNode("slices a constant that is no list, or by steps");
  }
  const std::int64_t length = tensor->dims[0];
  const auto clipped = [length](std::int64_t end) {
    return std::clamp<std::int64_t>(end < 0 ? end + length : end, 0, length);
  };
  std::vector<std::size_t> from;
  for (std::int64_t i = clipped((*starts)[0]); i < clipped((*ends)[0]); ++i) {
    from.push_back(i);
  }
  const std::int64_t count = from.size();
  return {picked(*tensor, {count}, from)};
}

// Joins lists one after the other. The result has integers if all lists do.
Constant fold_concat(const NodeReader& node) {
  normal_axis(node.integer("axis", 0), 1);
  Integers integers;
  Reals reals;
  bool all_integers = true;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const TensorPointer tensor = small_constant(node, i);
    if (tensor->dims.size() != 1) throw UnmappedNode("joins constants that are no lists");
    for (const double value : reals_of(*tensor)) reals.push_back(value);
    all_integers = all_integers && is_integer(*tensor);
    if (!all_integers) continue;
    for (const std::int64_t value : integers_of(*tensor)) integers.push_back(value);
  }
  const std::int64_t count = reals.size();
  if (count > max_folded_elements) throw UnmappedNode("joins many constants");
  return {all_integers ? integer_tensor({count}, integers) : real_tensor({count}, reals)};
}

}  // namespace cnnplan
