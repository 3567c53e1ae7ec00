// Converts small constants to another type, where this loses no more than the type says.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "planner/import/folding/constant_folds.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

// These numbers come from onnx.TensorProto.DataType.
constexpr std::int64_t to_float32 = 1;
constexpr std::int64_t to_int32 = 6;
constexpr std::int64_t to_int64 = 7;
constexpr std::int64_t to_float16 = 10;
constexpr std::int64_t to_float64 = 11;
constexpr std::int64_t to_bfloat16 = 16;

// Returns the values if a type of 16 bits, with so many digits, holds all of them.
Reals exact(Reals values, int digits) {
  constexpr double least = 1.0 / (1 << 14);  // the least normal number of float16
  constexpr double most = 65504;             // the largest number of float16
  for (const double value : values) {
    int exponent = 0;
    const double scaled = std::ldexp(std::frexp(value, &exponent), digits);
    const double size = std::abs(value);
    if (value != 0 && (scaled != std::floor(scaled) || !(size >= least && size <= most))) {
      throw UnmappedNode("rounds a constant to 16 bits");
    }
  }
  return values;
}

// Returns the values without their fractions, as integers of at most `most`.
Integers truncated(const OnnxTensor& tensor, double most) {
  if (is_integer(tensor) && most > std::numeric_limits<std::int32_t>::max()) {
    return integers_of(tensor);
  }
  Integers values;
  for (const double value : reals_of(tensor)) {
    if (!(std::abs(value) <= most)) throw UnmappedNode("makes no integer of a constant");
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

}  // namespace

// Types of 16 bits are accepted for values that they hold exactly.
Constant fold_cast(const NodeReader& node) {
  constexpr double most_int32 = std::numeric_limits<std::int32_t>::max();
  constexpr double most_int64 = 1e15;  // doubles hold all integers up to this one
  node.has_no_effect({"saturate"});
  const TensorPointer tensor = small_constant(node, 0);
  switch (node.integer("to", 0)) {
    case to_float32: {
      Reals values = reals_of(*tensor);
      for (double& value : values) value = static_cast<float>(value);
      return {real_tensor(tensor->dims, values)};
    }
    case to_float16:
      return {real_tensor(tensor->dims, exact(reals_of(*tensor), 11))};
    case to_bfloat16:
      return {real_tensor(tensor->dims, exact(reals_of(*tensor), 8))};
    case to_float64:
      return {real_tensor(tensor->dims, reals_of(*tensor))};
    case to_int32:
      return {integer_tensor(tensor->dims, truncated(*tensor, most_int32))};
    case to_int64:
      return {integer_tensor(tensor->dims, truncated(*tensor, most_int64))};
    default:
      throw UnmappedNode("makes neither reals nor signed integers of a constant");
  }
}

}  // namespace cnnplan
