// Small tensors, operator by operator.
#include "planner/import/constant_folding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "planner/import/reshape.hpp"
#include "planner/import/tensor_values.hpp"
#include "planner/import/unmapped.hpp"
#include "planner/model/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t max_elements = 65536;

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

// As it is meant, and not too large.
TensorPointer small(const NodeReader& node, std::size_t index) {
  const Constant constant = node.constant(index);
  if (constant.is_transposed || element_count(*constant.tensor) > max_elements) {
    throw UnmappedNode("computes with the constant '" + constant.tensor->name +
                       "', which is large or transposed");
  }
  return constant.tensor;
}

// The elements of `tensor` at these positions, with other dims.
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

Constant fold_constant(const NodeReader& node) {
  if (const TensorPointer value = node.tensor("value")) return {value};
  if (node.has("value_int")) return {integer_tensor({}, {node.integer("value_int", 0)})};
  if (node.has("value_float")) return {real_tensor({}, {node.real("value_float", 0)})};
  if (node.has("value_ints")) {
    const Integers values = node.integers("value_ints");
    return {integer_tensor({static_cast<std::int64_t>(values.size())}, values)};
  }
  if (!node.has("value_floats")) throw UnmappedNode("a constant without numbers");
  const std::vector<float> values = node.reals("value_floats");
  return {
      real_tensor({static_cast<std::int64_t>(values.size())}, Reals(values.begin(), values.end()))};
}

Constant fold_constant_of_shape(const NodeReader& node) {
  const Integers dims = integers_of(*small(node, 0));
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent < 0) throw UnmappedNode("a shape " + dims_text(dims));
    count = checked_multiply(count, extent);
  }
  if (count > max_elements) throw UnmappedNode("a constant of " + dims_text(dims));
  const TensorPointer value = node.tensor("value");
  if (value != nullptr && element_count(*value) != 1) throw UnmappedNode("repeats no number");
  const std::vector<std::size_t> first(static_cast<std::size_t>(count), 0);
  return {value == nullptr ? picked(*real_tensor({1}, {0}), dims, first)
                           : picked(*value, dims, first)};
}

Constant fold_identity(const NodeReader& node) {
  return node.constant(0);
}

Constant fold_cast(const NodeReader& node) {
  constexpr std::int64_t int32 = 6;
  constexpr std::int64_t int64 = 7;
  const TensorPointer tensor = small(node, 0);
  const std::int64_t type = node.integer("to", 1);
  if (type != int32 && type != int64) return {real_tensor(tensor->dims, reals_of(*tensor))};
  if (is_integer(*tensor)) return {tensor};
  Integers values;
  for (const double value : reals_of(*tensor)) {
    if (!(std::abs(value) < 1e15)) throw UnmappedNode("makes no integer");
    values.push_back(static_cast<std::int64_t>(value));
  }
  return {integer_tensor(tensor->dims, values)};
}

Constant fold_reshape(const NodeReader& node) {
  const TensorPointer tensor = small(node, 0);
  OnnxTensor result = *tensor;
  result.dims = reshaped_dims(node, tensor->dims);
  return {std::make_shared<const OnnxTensor>(std::move(result))};
}

Constant fold_transpose(const NodeReader& node) {
  Constant constant = node.constant(0);
  const Integers order = node.integers("perm");
  const bool is_matrix = constant.tensor->dims.size() == 2;
  if (!is_matrix || !(order.empty() || order == Integers{1, 0})) {
    throw UnmappedNode("exchanges dims of a constant that is no matrix");
  }
  constant.is_transposed = !constant.is_transposed;
  return constant;
}

// Rows of a list, or one number of it.
Constant fold_gather(const NodeReader& node) {
  const TensorPointer tensor = small(node, 0);
  const TensorPointer indices = small(node, 1);
  if (tensor->dims.size() != 1 || node.integer("axis", 0) != 0) {
    throw UnmappedNode("picks from a constant that is no list");
  }
  std::vector<std::size_t> from;
  for (const std::int64_t index : integers_of(*indices)) {
    from.push_back(normal_axis(index, static_cast<std::size_t>(tensor->dims[0])));
  }
  return {picked(*tensor, indices->dims, from)};
}

Constant fold_slice(const NodeReader& node) {
  const TensorPointer tensor = small(node, 0);
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
    from.push_back(static_cast<std::size_t>(i));
  }
  return {picked(*tensor, {static_cast<std::int64_t>(from.size())}, from)};
}

// Lists one behind the other: integers where all are.
Constant fold_concat(const NodeReader& node) {
  Integers integers;
  Reals reals;
  bool all_integers = true;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    const TensorPointer tensor = small(node, i);
    if (tensor->dims.size() != 1) throw UnmappedNode("joins constants that are no lists");
    for (const double value : reals_of(*tensor)) reals.push_back(value);
    all_integers = all_integers && is_integer(*tensor);
    if (!all_integers) continue;
    for (const std::int64_t value : integers_of(*tensor)) integers.push_back(value);
  }
  const auto count = static_cast<std::int64_t>(reals.size());
  if (count > max_elements) throw UnmappedNode("joins many constants");
  return {all_integers ? integer_tensor({count}, integers) : real_tensor({count}, reals)};
}

std::int64_t computed(char sign, std::int64_t a, std::int64_t b) {
  if (sign == '+') return checked_add(a, b);
  if (sign == '*') return checked_multiply(a, b);
  if (sign == '-') {
    if (b == std::numeric_limits<std::int64_t>::min()) throw UnmappedNode("a large integer");
    return checked_add(a, -b);
  }
  if (b == 0 || b == -1) throw UnmappedNode("divides by " + std::to_string(b));
  return a / b;
}

double computed(char sign, double a, double b) {
  if (sign == '+') return a + b;
  if (sign == '-') return a - b;
  return sign == '*' ? a * b : a / b;
}

// Tensors of one size, or one of them a number.
template <typename T>
std::vector<T> computed(char sign, const std::vector<T>& a, const std::vector<T>& b) {
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1)) {
    throw UnmappedNode("constants of unequal dims");
  }
  std::vector<T> result;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    result.push_back(computed(sign, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]));
  }
  return result;
}

template <char sign>
Constant fold_arithmetic(const NodeReader& node) {
  const TensorPointer a = small(node, 0);
  const TensorPointer b = small(node, 1);
  const bool is_a_larger = a->dims.size() >= b->dims.size() && element_count(*a) > 1;
  const Integers& dims = is_a_larger || element_count(*b) == 1 ? a->dims : b->dims;
  if (is_integer(*a) && is_integer(*b)) {
    return {integer_tensor(dims, computed(sign, integers_of(*a), integers_of(*b)))};
  }
  return {real_tensor(dims, computed(sign, reals_of(*a), reals_of(*b)))};
}

Constant fold_floor(const NodeReader& node) {
  const TensorPointer tensor = small(node, 0);
  Reals values = reals_of(*tensor);
  for (double& value : values) value = std::floor(value);
  return {real_tensor(tensor->dims, values)};
}

using Fold = Constant (*)(const NodeReader&);

Fold find_fold(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, Fold>, 17> folds{{
      {"Add", fold_arithmetic<'+'>},
      {"Cast", fold_cast},
      {"Concat", fold_concat},
      {"Constant", fold_constant},
      {"ConstantOfShape", fold_constant_of_shape},
      {"Div", fold_arithmetic<'/'>},
      {"Flatten", fold_reshape},
      {"Floor", fold_floor},
      {"Gather", fold_gather},
      {"Identity", fold_identity},
      {"Mul", fold_arithmetic<'*'>},
      {"Reshape", fold_reshape},
      {"Slice", fold_slice},
      {"Squeeze", fold_reshape},
      {"Sub", fold_arithmetic<'-'>},
      {"Transpose", fold_transpose},
      {"Unsqueeze", fold_reshape},
  }};
  const auto* const found = std::find_if(
      folds.begin(), folds.end(), [type](const auto& own) { return own.first == type; });
  return found == folds.end() ? nullptr : found->second;
}

}  // namespace

bool can_fold(std::string_view type) {
  return find_fold(type) != nullptr;
}

Constant fold(const NodeReader& node) {
  return find_fold(node.node().type)(node);
}

}  // namespace cnnplan
