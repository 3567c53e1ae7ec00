// Holds the table that maps operator names to functions.
#include "planner/import/operators.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cnnplan {
namespace {

using MapToOne = Value (*)(const NodeReader&, NetworkBuilder&);

template <MapToOne map>
std::vector<Value> one(const NodeReader& node, NetworkBuilder& network) {
  return {map(node, network)};
}

}  // namespace

MapNode find_operator(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, MapNode>, 34> operators{{
      {"Add", one<map_add>},
      {"AveragePool", one<map_average_pool>},
      {"BatchNormalization", one<map_batch_norm>},
      {"Cast", one<map_cast>},
      {"Clip", one<map_clip>},
      {"Concat", one<map_concat>},
      {"Conv", one<map_convolution>},
      {"ConvTranspose", one<map_transposed_convolution>},
      {"Div", one<map_div>},
      {"Dropout", one<map_dropout>},
      {"Flatten", one<map_reshape>},
      {"Gemm", one<map_gemm>},
      {"GlobalAveragePool", one<map_global_average_pool>},
      {"GlobalMaxPool", one<map_global_max_pool>},
      {"Identity", one<map_identity>},
      {"LRN", one<map_local_response_norm>},
      {"MatMul", one<map_matmul>},
      {"MaxPool", one<map_max_pool>},
      {"Mul", one<map_mul>},
      {"Pad", one<map_pad>},
      {"ReduceMax", one<map_reduce_max>},
      {"ReduceMean", one<map_reduce_mean>},
      {"Relu", one<map_relu>},
      {"Reshape", one<map_reshape>},
      {"Resize", one<map_resize>},
      {"Shape", one<map_shape>},
      {"Slice", one<map_slice>},
      {"Split", map_split},
      {"Squeeze", one<map_reshape>},
      {"Sub", one<map_sub>},
      {"Sum", one<map_sum>},
      {"Transpose", one<map_transpose>},
      {"Unsqueeze", one<map_reshape>},
      {"Upsample", one<map_upsample>},
  }};
  const auto* const found = std::find_if(
      operators.begin(), operators.end(), [type](const auto& own) { return own.first == type; });
  return found == operators.end() ? nullptr : found->second;
}

}  // namespace cnnplan
