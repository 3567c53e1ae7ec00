// Declares one function for each operator on constants, and the limit of their sizes.
#pragma once

#include <cstdint>

#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Larger constants are weights, with which an import does not compute.
inline constexpr std::int64_t max_folded_elements = 8192;

// Returns the input `index` of a node, whose values may be read for folding.
// @throws UnmappedNode when it is missing or no constant, has more than max_folded_elements, or is
// transposed; InputError when the product of its dims overflows
TensorPointer small_constant(const NodeReader& node, std::size_t index);

// folded_lists.cpp defines these functions. They return the result of fold() for the operator of
// their name.
// @throws UnmappedNode for constants that are no lists or too large, InputError for a size that
// overflows
Constant fold_constant_of_shape(const NodeReader& node);
Constant fold_gather(const NodeReader& node);
Constant fold_slice(const NodeReader& node);
Constant fold_concat(const NodeReader& node);

// folded_casts.cpp defines this function.
// @throws UnmappedNode for a type or a value that it does not convert
Constant fold_cast(const NodeReader& node);

// folded_arithmetic.cpp defines these functions, which broadcast as NumPy does.
// @throws UnmappedNode as small_constant(), for shapes that do not broadcast, for a large result,
// and for integers divided by 0 or -1; InputError for an integer that overflows
Constant fold_add(const NodeReader& node);
Constant fold_sub(const NodeReader& node);
Constant fold_mul(const NodeReader& node);
Constant fold_div(const NodeReader& node);
Constant fold_floor(const NodeReader& node);

}  // namespace cnnplan
