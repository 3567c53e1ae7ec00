// Makes the labels and ids that several passes of the lowering give to their operations.
#pragma once

#include <cstddef>
#include <string>

#include "planner/kernel/kernel.hpp"
#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/operation_label.hpp"

namespace cnnplan {

// Returns the label of a kernel by its phase.
// @throws std::logic_error for the phase `update`, which serves a bucket
OperationLabel kernel_label(LayerIndex layer, KernelPhase phase);
inline OperationLabel forward_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::forward);
}
inline OperationLabel backward_data_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::backward_data);
}

// Returns the name of a transfer of an input, or of its gradient. `of_channels` is the part of a
// transfer that gathers or scatters channels inside a mesh.
LabelledId transfer_name(const LoweringContext& context,
                         const Unit& unit,
                         std::size_t input,
                         Direction direction,
                         OperationPart of_channels);
// Returns the name of the transfer that fetches an input. `direction` is backward where an output
// is computed again.
LabelledId fetch_name(const LoweringContext& context,
                      const Unit& unit,
                      std::size_t input,
                      Direction direction);

}  // namespace cnnplan
