// Names enumerators as the code spells them.
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {

std::string_view to_text(Precision precision) {
  constexpr std::array<std::string_view, 5> names{"fp32", "fp64", "tf32", "bf16", "fp16"};
  return names[static_cast<std::size_t>(precision)];
}

std::string_view to_text(UpsampleMode mode) {
  return mode == UpsampleMode::nearest ? "nearest" : "linear";
}

}  // namespace cnnplan
