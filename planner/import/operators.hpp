// Finds the function that maps an ONNX operator to layers, and declares these functions by source.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Makes the layers of a node and returns its outputs, or only the first outputs if no layer
// computes the others.
// @throws UnmappedNode, InputError
using MapNode = std::vector<Value> (*)(const NodeReader& node, NetworkBuilder& network);

// Holds the type of an operator, such as "Conv", and the function that maps its nodes.
struct OperatorRow {
  std::string_view type;
  MapNode map = nullptr;
};

// Returns the function of a type in a table of operators, or null if no row has the type.
MapNode find_row(std::span<const OperatorRow> rows, std::string_view type);

// Makes a MapNode of a function that returns one value.
template <Value (*map)(const NodeReader&, NetworkBuilder&)>
std::vector<Value> one(const NodeReader& node, NetworkBuilder& network) {
  return {map(node, network)};
}

// Returns the function that maps an operator of the standard domain to layers, or null if this file
// has no function for it. It knows all functions below.
MapNode find_operator(std::string_view type);

// windowed_operators.cpp defines these functions.
Value map_convolution(const NodeReader& node, NetworkBuilder& network);
Value map_transposed_convolution(const NodeReader& node, NetworkBuilder& network);
Value map_max_pool(const NodeReader& node, NetworkBuilder& network);
Value map_average_pool(const NodeReader& node, NetworkBuilder& network);
Value map_global_average_pool(const NodeReader& node, NetworkBuilder& network);
Value map_global_max_pool(const NodeReader& node, NetworkBuilder& network);
Value map_reduce_mean(const NodeReader& node, NetworkBuilder& network);
Value map_reduce_max(const NodeReader& node, NetworkBuilder& network);
Value map_pad(const NodeReader& node, NetworkBuilder& network);

// dense_operators.cpp defines these functions.
Value map_gemm(const NodeReader& node, NetworkBuilder& network);
Value map_matmul(const NodeReader& node, NetworkBuilder& network);

// Returns the function of an element-wise operator, or null if the table of
// elementwise_operators.cpp lacks the operator.
MapNode find_elementwise_operator(std::string_view type);

// channel_operators.cpp defines these functions.
Value map_slice(const NodeReader& node, NetworkBuilder& network);
std::vector<Value> map_split(const NodeReader& node, NetworkBuilder& network);

// resize_operators.cpp defines these functions.
Value map_resize(const NodeReader& node, NetworkBuilder& network);
Value map_upsample(const NodeReader& node, NetworkBuilder& network);

// shape_operators.cpp defines these functions.
Value map_identity(const NodeReader& node, NetworkBuilder& network);
Value map_cast(const NodeReader& node, NetworkBuilder& network);
Value map_shape(const NodeReader& node, NetworkBuilder& network);
Value map_reshape(const NodeReader& node, NetworkBuilder& network);
Value map_transpose(const NodeReader& node, NetworkBuilder& network);

}  // namespace cnnplan
