// Holds the table of operators on constants, and the operators that only rename or reshape.
#include "planner/import/folding/constant_folding.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "planner/import/folding/constant_folds.hpp"
#include "planner/import/folding/reshape.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

Constant fold_constant(const NodeReader& node) {
  if (const TensorPointer value = node.tensor("value")) return {value};
  if (node.has("value_int")) return {integer_tensor({}, {node.integer("value_int", 0)})};
  if (node.has("value_float")) return {real_tensor({}, {node.real("value_float", 0)})};
  if (node.has("value_ints")) {
    const Integers values = node.integers("value_ints");
    const std::int64_t count = values.size();
    return {integer_tensor({count}, values)};
  }
  if (!node.has("value_floats")) throw UnmappedNode("a constant without numbers");
  const std::vector<float> values = node.reals("value_floats");
  const std::int64_t count = values.size();
  return {real_tensor({count}, Reals(values.begin(), values.end()))};
}

Constant fold_identity(const NodeReader& node) {
  return node.constant(0);
}

Constant fold_reshape(const NodeReader& node) {
  const TensorPointer tensor = small_constant(node, 0);
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

using Fold = Constant (*)(const NodeReader&);

Fold find_fold(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, Fold>, 17> folds{{
      {"Add", fold_add},
      {"Cast", fold_cast},
      {"Concat", fold_concat},
      {"Constant", fold_constant},
      {"ConstantOfShape", fold_constant_of_shape},
      {"Div", fold_div},
      {"Flatten", fold_reshape},
      {"Floor", fold_floor},
      {"Gather", fold_gather},
      {"Identity", fold_identity},
      {"Mul", fold_mul},
      {"Reshape", fold_reshape},
      {"Slice", fold_slice},
      {"Squeeze", fold_reshape},
      {"Sub", fold_sub},
      {"Transpose", fold_transpose},
      {"Unsqueeze", fold_reshape},
  }};
  const auto* const found = std::find_if(
      folds.begin(), folds.end(), [type](const auto& own) { return own.first == type; });
  return found == folds.end() ? nullptr : found->second;
}

}  // namespace

TensorPointer small_constant(const NodeReader& node, std::size_t index) {
  const Constant constant = node.constant(index);
  if (constant.is_transposed || element_count(*constant.tensor) > max_folded_elements) {
    throw UnmappedNode("computes with the constant '" + constant.tensor->name +
                       "', which is large or transposed");
  }
  return constant.tensor;
}

bool can_fold(std::string_view type) {
  return find_fold(type) != nullptr;
}

Constant fold(const NodeReader& node) {
  return find_fold(node.node().type)(node);
}

}  // namespace cnnplan
