// Words of operation ids.
#include "planner/report/operation_id.hpp"

namespace cnnplan {
namespace {

// "b/c" of "a/b/c", nothing of "a".
std::string_view without_first_word(std::string_view id) {
  const std::size_t slash = id.find('/');
  return slash == std::string_view::npos ? "" : id.substr(slash + 1);
}

std::string_view first_word(std::string_view id) {
  return id.substr(0, id.find('/'));
}

OperationPart part_of_word(std::string_view word) {
  if (word == "forward_statistics" || word == "backward_statistics") {
    return OperationPart::statistics;
  }
  if (word == "forward_again") return OperationPart::forward;
  if (word == "allgather" || word == "reduce_scatter") return OperationPart::channels;
  for (const OperationPart part : all_operation_parts) {
    if (word == to_text(part)) return part;
  }
  return OperationPart::other;
}

// Names of layers follow.
bool is_transfer(OperationPart part) {
  return part == OperationPart::halo || part == OperationPart::channels ||
         part == OperationPart::shuffle || part == OperationPart::copy;
}

}  // namespace

std::string_view to_text(OperationPart part) {
  constexpr std::array<std::string_view, all_operation_parts.size()> names{"forward",
                                                                           "backward_data",
                                                                           "backward_filter",
                                                                           "halo",
                                                                           "channels",
                                                                           "shuffle",
                                                                           "copy",
                                                                           "statistics",
                                                                           "allreduce",
                                                                           "other"};
  return names[static_cast<std::size_t>(part)];
}

OperationPart part_of(std::string_view id) {
  OperationPart found = OperationPart::other;
  for (id = without_first_word(id); !id.empty(); id = without_first_word(id)) {
    const OperationPart part = part_of_word(first_word(id));
    if (is_transfer(part)) return part;
    if (part != OperationPart::other) found = part;
  }
  return found;
}

std::string group_of(std::string_view id) {
  return std::string(first_word(id));
}

}  // namespace cnnplan
