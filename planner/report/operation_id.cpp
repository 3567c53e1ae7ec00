// Words of operation ids.
#include "planner/report/operation_id.hpp"

namespace cnnplan {
namespace {

// The last word of "a/b/c" is "c".
std::string_view last_word(std::string_view id) {
  const std::size_t slash = id.rfind('/');
  return slash == std::string_view::npos ? id : id.substr(slash + 1);
}

OperationPart part_of_word(std::string_view word) {
  if (word == "allreduce") return OperationPart::allreduce;
  if (word == "halo") return OperationPart::halo;
  if (word == "shuffle") return OperationPart::shuffle;
  if (word.ends_with("_statistics")) return OperationPart::statistics;
  if (word.starts_with("backward_data")) return OperationPart::backward_data;
  if (word.starts_with("backward_filter")) return OperationPart::backward_filter;
  if (word.starts_with("forward")) return OperationPart::forward;
  return OperationPart::other;
}

}  // namespace

std::string_view to_text(OperationPart part) {
  constexpr std::array<std::string_view, all_operation_parts.size()> names{"forward",
                                                                           "backward_data",
                                                                           "backward_filter",
                                                                           "halo",
                                                                           "shuffle",
                                                                           "statistics",
                                                                           "allreduce",
                                                                           "other"};
  return names[static_cast<std::size_t>(part)];
}

OperationPart part_of(std::string_view id) {
  while (id.find('/') != std::string_view::npos) {
    const OperationPart part = part_of_word(last_word(id));
    if (part != OperationPart::other) return part;
    id = id.substr(0, id.rfind('/'));
  }
  return OperationPart::other;
}

std::string group_of(std::string_view id) {
  return std::string(id.substr(0, id.find('/')));
}

}  // namespace cnnplan
