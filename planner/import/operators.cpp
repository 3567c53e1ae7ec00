// The table of operators.
#include "planner/import/operators.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cnnplan {

MapNode find_operator(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, MapNode>, 29> operators{{
      {"Add", map_add},
      {"AveragePool", map_average_pool},
      {"BatchNormalization", map_batch_norm},
      {"Cast", map_cast},
      {"Clip", map_clip},
      {"Concat", map_concat},
      {"Conv", map_convolution},
      {"ConvTranspose", map_transposed_convolution},
      {"Dropout", map_dropout},
      {"Flatten", map_reshape},
      {"Gemm", map_gemm},
      {"GlobalAveragePool", map_global_average_pool},
      {"GlobalMaxPool", map_global_max_pool},
      {"Identity", map_identity},
      {"MatMul", map_matmul},
      {"MaxPool", map_max_pool},
      {"Pad", map_pad},
      {"ReduceMax", map_reduce_max},
      {"ReduceMean", map_reduce_mean},
      {"Relu", map_relu},
      {"Reshape", map_reshape},
      {"Resize", map_resize},
      {"Shape", map_shape},
      {"Squeeze", map_reshape},
      {"Sub", map_sub},
      {"Sum", map_sum},
      {"Transpose", map_transpose},
      {"Unsqueeze", map_reshape},
      {"Upsample", map_upsample},
  }};
  const auto* const found = std::find_if(
      operators.begin(), operators.end(), [type](const auto& own) { return own.first == type; });
  return found == operators.end() ? nullptr : found->second;
}

}  // namespace cnnplan
