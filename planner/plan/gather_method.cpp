// Names the gather methods, and the dims that they cut.
#include "planner/plan/gather_method.hpp"

#include <stdexcept>

namespace cnnplan {

std::string_view to_text(GatherMethod method) {
  switch (method) {
    case GatherMethod::direct:
      return "direct";
    case GatherMethod::by_node_n:
      return "by_node_n";
    case GatherMethod::by_node_c:
      return "by_node_c";
    case GatherMethod::by_node_d:
      return "by_node_d";
    case GatherMethod::by_node_h:
      return "by_node_h";
    case GatherMethod::by_node_w:
      return "by_node_w";
  }
  throw std::logic_error("gather method");
}

// The methods follow `direct` in the order of the dims.
std::optional<Dim> cut_dim(GatherMethod method) {
  if (method == GatherMethod::direct) return std::nullopt;
  return static_cast<Dim>(static_cast<std::size_t>(method) - 1);
}

GatherMethod by_node(Dim dim) {
  return static_cast<GatherMethod>(static_cast<std::size_t>(dim) + 1);
}

}  // namespace cnnplan
