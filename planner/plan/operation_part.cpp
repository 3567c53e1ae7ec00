// Names the parts, in the order of their declaration.
#include "planner/plan/operation_part.hpp"

#include <cstddef>

namespace cnnplan {

std::string_view to_text(OperationPart part) {
  constexpr std::array<std::string_view, Enumerators<OperationPart>::all.size()> names{
      "load",
      "forward",
      "backward_data",
      "backward_filter",
      "statistics",
      "accumulate",
      "halo",
      "channel_allgather",
      "channel_reduce_scatter",
      "shuffle",
      "copy",
      "statistics_allreduce",
      "loss_allreduce",
      "gradient_reduction",
      "weight_allgather",
      "update"};
  return names[static_cast<std::size_t>(part)];
}

bool serves_bucket(OperationPart part) {
  return part == OperationPart::gradient_reduction || part == OperationPart::weight_allgather ||
         part == OperationPart::update;
}

}  // namespace cnnplan
