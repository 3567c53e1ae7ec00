// Names enumerators as the code spells them.
#include "planner/network/enumerators.hpp"

namespace cnnplan {

std::string_view to_text(PoolingMode mode) {
  return mode == PoolingMode::max ? "max" : "average";
}

std::string_view to_text(BatchNormStatistics statistics) {
  constexpr std::array<std::string_view, 3> names{"local", "spatial", "global"};
  return names[static_cast<std::size_t>(statistics)];
}

}  // namespace cnnplan
