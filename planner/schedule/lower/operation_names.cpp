// One label for each phase of a kernel, and one word for each kind of transfer.
#include "planner/schedule/lower/operation_names.hpp"

#include <stdexcept>

namespace cnnplan {

OperationLabel kernel_label(LayerIndex layer, KernelPhase phase) {
  constexpr Direction backward = Direction::backward;
  switch (phase) {
    case KernelPhase::forward:
      return {.part = OperationPart::forward, .layer = layer};
    case KernelPhase::forward_statistics:
      return {.part = OperationPart::statistics, .layer = layer};
    case KernelPhase::backward_data:
      return {.part = OperationPart::backward_data, .layer = layer, .direction = backward};
    case KernelPhase::backward_filter:
      return {.part = OperationPart::backward_filter, .layer = layer, .direction = backward};
    case KernelPhase::backward_statistics:
      return {.part = OperationPart::statistics, .layer = layer, .direction = backward};
    case KernelPhase::update:
      break;
  }
  throw std::logic_error("an update serves a bucket and no single layer");
}

std::string word_of(OperationPart part) {
  if (part == OperationPart::channel_allgather) return "allgather";
  if (part == OperationPart::channel_reduce_scatter) return "reduce_scatter";
  return std::string(to_text(part));
}

}  // namespace cnnplan
