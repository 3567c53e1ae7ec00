// Computes sums, differences, products and quotients of small constants.
#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/base/checked.hpp"
#include "planner/import/folding/constant_folds.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

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

// Computes with two tensors of equal size, or with a tensor and a number.
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
  const TensorPointer a = small_constant(node, 0);
  const TensorPointer b = small_constant(node, 1);
  const bool is_a_larger = a->dims.size() >= b->dims.size() && element_count(*a) > 1;
  const Integers& dims = is_a_larger || element_count(*b) == 1 ? a->dims : b->dims;
  if (is_integer(*a) && is_integer(*b)) {
    return {integer_tensor(dims, computed(sign, integers_of(*a), integers_of(*b)))};
  }
  return {real_tensor(dims, computed(sign, reals_of(*a), reals_of(*b)))};
}

}  // namespace

Constant fold_add(const NodeReader& node) {
  return fold_arithmetic<'+'>(node);
}

Constant fold_sub(const NodeReader& node) {
  return fold_arithmetic<'-'>(node);
}

Constant fold_mul(const NodeReader& node) {
  return fold_arithmetic<'*'>(node);
}

Constant fold_div(const NodeReader& node) {
  return fold_arithmetic<'/'>(node);
}

Constant fold_floor(const NodeReader& node) {
  const TensorPointer tensor = small_constant(node, 0);
  Reals values = reals_of(*tensor);
  for (double& value : values) value = std::floor(value);
  return {real_tensor(tensor->dims, values)};
}

}  // namespace cnnplan
