// Makes the labels and ids that several passes of the lowering give to their operations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "planner/kernel/kernel.hpp"
#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/operation_label.hpp"

namespace cnnplan {

// Returns the label of a kernel of `layer`. Its part and its direction follow from the phase.
// @throws std::logic_error for the phase `update`, which serves a bucket
OperationLabel kernel_label(LayerIndex layer, KernelPhase phase);
inline OperationLabel forward_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::forward);
}
inline OperationLabel backward_data_label(LayerIndex layer) {
  return kernel_label(layer, KernelPhase::backward_data);
}

// Returns the id of the kernel of a phase, or of an operation that follows it and adds `suffix`. It
// is empty where the context has no names.
std::string kernel_name(const LoweringContext& context,
                        const Unit& unit,
                        KernelPhase phase,
                        std::string_view suffix = {});

// Returns the name of the transfer of an input of a unit, or of its gradient. Its part is `shuffle`
// if the input is on another mesh or stage. On one mesh, it is `copy` for a layer that copies its
// inputs, `of_channels` if channels are gathered or scattered, and else `halo`.
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
