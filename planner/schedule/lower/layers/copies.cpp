// Adds the transfers from the owners of each input to its channels of the output.
#include "planner/schedule/lower/layers/copies.hpp"

#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

void forward_copies(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  const Operand output = state.tensors.add_output(unit);
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    state.writer.transfer(
        unit,
        transfer_name(context, unit, input, Direction::forward, OperationPart::channel_allgather),
        {.source = state.tensors.output(unit.inputs[input]).buffer,
         .destination = output.buffer,
         .destination_channel = context.network().first_channel(unit.head, input)},
        exchange_into_output(context.decomposition().exchanges(unit, input).forward,
                             context.rank()));
  }
}

}  // namespace cnnplan
