// Names of enumerators, spelled as in the code.
#include "planner/kernel/enumerators.hpp"

namespace cnnplan {

std::string_view to_text(Precision precision) {
  constexpr std::array<std::string_view, 5> names{"fp32", "fp64", "tf32", "bf16", "fp16"};
  return names[static_cast<std::size_t>(precision)];
}

std::string_view to_text(PoolingMode mode) {
  return mode == PoolingMode::max ? "max" : "average";
}

std::string_view to_text(UpsampleMode mode) {
  return mode == UpsampleMode::nearest ? "nearest" : "linear";
}

std::string_view to_text(BatchNormStatistics statistics) {
  constexpr std::array<std::string_view, 3> names{"local", "spatial", "global"};
  return names[static_cast<std::size_t>(statistics)];
}

}  // namespace cnnplan
