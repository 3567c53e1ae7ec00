// Declares one function for each ONNX operator that has a layer, ordered by source file.
#pragma once

#include <string_view>
#include <vector>

#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/node_reader.hpp"

namespace cnnplan {

// Makes the layers of a node and returns its outputs, or only the first outputs if no layer
// computes the others.
// @throws UnmappedNode, InputError
using MapNode = std::vector<Value> (*)(const NodeReader& node, NetworkBuilder& network);

// Returns null if no layer can compute the operator.
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

// elementwise_operators.cpp defines these functions.
Value map_batch_norm(const NodeReader& node, NetworkBuilder& network);
Value map_local_response_norm(const NodeReader& node, NetworkBuilder& network);
Value map_relu(const NodeReader& node, NetworkBuilder& network);
Value map_clip(const NodeReader& node, NetworkBuilder& network);
Value map_dropout(const NodeReader& node, NetworkBuilder& network);
Value map_add(const NodeReader& node, NetworkBuilder& network);
Value map_sub(const NodeReader& node, NetworkBuilder& network);
Value map_mul(const NodeReader& node, NetworkBuilder& network);
Value map_div(const NodeReader& node, NetworkBuilder& network);
Value map_sum(const NodeReader& node, NetworkBuilder& network);
Value map_concat(const NodeReader& node, NetworkBuilder& network);

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
