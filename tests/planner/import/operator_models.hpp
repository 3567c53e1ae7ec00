// Makes a small model for each operator that the import supports.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {

// Says how the import treats a node: as a layer, or as arithmetic on constants.
enum class Path { mapped, folded };

struct OperatorKey {
  std::string_view type;
  Path path = Path::mapped;
  auto operator<=>(const OperatorKey&) const = default;
};

// Adds the nodes of a model, whose output is "y", and returns the node of the operator. `model` has
// an input "x" of (1, 4, 8, 8). `opset` decides which inputs and attributes the node has.
using AddOperator = NodeBuilder (*)(ModelBuilder& model, std::int64_t opset);

const std::map<OperatorKey, AddOperator>& operator_models();

}  // namespace cnnplan::test
