// Maps the names of operators to functions. The table of element-wise operators is with them.
#include "planner/import/operators.hpp"

#include <algorithm>

namespace cnnplan {

MapNode find_row(std::span<const OperatorRow> rows, std::string_view type) {
  const auto found = std::find_if(
      rows.begin(), rows.end(), [type](const OperatorRow& row) { return row.type == type; });
  return found == rows.end() ? nullptr : found->map;
}

MapNode find_operator(std::string_view type) {
  static constexpr OperatorRow operators[] = {
      {"AveragePool", one<map_average_pool>},
      {"Cast", one<map_cast>},
      {"Conv", one<map_convolution>},
      {"ConvTranspose", one<map_transposed_convolution>},
      {"Flatten", one<map_reshape>},
      {"Gemm", one<map_gemm>},
      {"GlobalAveragePool", one<map_global_average_pool>},
      {"GlobalMaxPool", one<map_global_max_pool>},
      {"Identity", one<map_identity>},
      {"MatMul", one<map_matmul>},
      {"MaxPool", one<map_max_pool>},
      {"Pad", one<map_pad>},
      {"ReduceMax", one<map_reduce_max>},
      {"ReduceMean", one<map_reduce_mean>},
      {"Reshape", one<map_reshape>},
      {"Resize", one<map_resize>},
      {"Shape", one<map_shape>},
      {"Slice", one<map_slice>},
      {"Split", map_split},
      {"Squeeze", one<map_reshape>},
      {"Transpose", one<map_transpose>},
      {"Unsqueeze", one<map_reshape>},
      {"Upsample", one<map_upsample>},
  };
  const MapNode found = find_row(operators, type);
  return found != nullptr ? found : find_elementwise_operator(type);
}

}  // namespace cnnplan
