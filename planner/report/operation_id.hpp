// What an operation id says: the layer it belongs to, and the part of the step that it is.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace cnnplan {

// Columns of the reports.
enum class OperationPart {
  forward,
  backward_data,
  backward_filter,
  halo,
  channels,  // allgather and reduce_scatter between ranks that have different channels
  shuffle,
  copy,
  statistics,
  allreduce,
  other,
};
inline constexpr std::array<OperationPart, 10> all_operation_parts{OperationPart::forward,
                                                                   OperationPart::backward_data,
                                                                   OperationPart::backward_filter,
                                                                   OperationPart::halo,
                                                                   OperationPart::channels,
                                                                   OperationPart::shuffle,
                                                                   OperationPart::copy,
                                                                   OperationPart::statistics,
                                                                   OperationPart::allreduce,
                                                                   OperationPart::other};
std::string_view to_text(OperationPart part);

// "bn1/forward_statistics/allreduce" is allreduce, "conv2/backward/halo" halo: the last whole word
// that names a part decides, but for names of layers: the first word, and what follows "halo",
// "allgather", "reduce_scatter", "shuffle" or "copy".
OperationPart part_of(std::string_view id);

// The layer that an operation belongs to, or what stands in its place where it belongs to none:
// "conv1" for "conv1/forward/halo", "reduce" for "reduce/0". Names of layers hold no slash and are
// neither "reduce" nor "sgd".
std::string group_of(std::string_view id);

}  // namespace cnnplan
