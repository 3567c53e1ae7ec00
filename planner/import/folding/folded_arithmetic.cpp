// Computes sums, differences, products and quotients of small constants.
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

// Returns the dims of the result as NumPy does: dims are aligned at their ends, and a dim of 1 is
// repeated.
Integers broadcast_dims(const Integers& a, const Integers& b) {
  const Integers& longer = a.size() >= b.size() ? a : b;
  const Integers& shorter = a.size() >= b.size() ? b : a;
  Integers dims = longer;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t missing = longer.size() - shorter.size();
    const std::int64_t other = i < missing ? 1 : shorter[i - missing];
    if (dims[i] != other && dims[i] != 1 && other != 1) {
      throw UnmappedNode("constants " + dims_text(a) + " and " + dims_text(b) + " of unequal dims");
    }
    if (dims[i] == 1) dims[i] = other;
    count = checked_multiply(count, dims[i]);
  }
  if (count > max_folded_elements) throw UnmappedNode("a constant of " + dims_text(dims));
  return dims;
}

// Returns the values of a tensor with these dims, repeated to the dims of the result.
template <typename T>
std::vector<T> broadcast(const std::vector<T>& values, const Integers& from, const Integers& to) {
  std::vector<T> result;
  std::int64_t count = 1;
  for (const std::int64_t extent : to) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t place = 0;
    std::int64_t stride = 1;
    for (std::size_t back = 1; back <= from.size(); ++back) {
      const std::int64_t extent = from[from.size() - back];
      const std::int64_t index = rest % to[to.size() - back];
      rest /= to[to.size() - back];
      if (extent > 1) place += index * stride;
      stride *= extent;
    }
    result.push_back(values.at(place));
  }
  return result;
}

template <typename T>
std::vector<T> computed(char sign, std::vector<T> a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = computed(sign, a[i], b[i]);
  return a;
}

template <char sign>
Constant fold_arithmetic(const NodeReader& node) {
  const TensorPointer a = small_constant(node, 0);
  const TensorPointer b = small_constant(node, 1);
  const Integers dims = broadcast_dims(a->dims, b->dims);
  if (is_integer(*a) && is_integer(*b)) {
    return {integer_tensor(dims,
                           computed(sign,
                                    broadcast(integers_of(*a), a->dims, dims),
                                    broadcast(integers_of(*b), b->dims, dims)))};
  }
  return {real_tensor(
      dims,
      computed(
          sign, broadcast(reals_of(*a), a->dims, dims), broadcast(reals_of(*b), b->dims, dims)))};
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
