// Labels and words of ids that several passes of the lowering give to their operations.
#pragma once

#include <string>

#include "planner/kernel/kernel.hpp"
#include "planner/schedule/operation_label.hpp"

namespace cnnplan {

// The label of a kernel by its phase. @pre the phase is not `update`, which serves a bucket
OperationLabel kernel_label(LayerIndex layer, KernelPhase phase);
inline OperationLabel forward_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::forward);
}
inline OperationLabel backward_data_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::backward_data);
}

// The word of a transfer in its id: "allgather" for channel_allgather, "halo" for halo.
std::string word_of(OperationPart part);

}  // namespace cnnplan
