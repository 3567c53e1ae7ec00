// Adds the convolutions of a chain.
#include "planner/schedule/lower/multigrid/forward_operator.hpp"

#include "planner/schedule/lower/layers/convolution.hpp"

namespace cnnplan {

ForwardOperator::ForwardOperator(LoweringState& state,
                                 const ChainGeometry& geometry,
                                 const ChainLabels& labels)
    : state_(state), geometry_(geometry), labels_(labels), received_(geometry.block_count() + 1) {
  for (int i = 0; i < geometry.block_count(); ++i) {
    saved(i).output = state.tensors.add_output(geometry.transform(i));
    const bool is_kept = geometry.is_kept_where_block_is(i + 1);
    state.tensors.add_output(geometry.sum(i), is_kept ? BufferRole::state : role());
  }
}

SavedOperands& ForwardOperator::saved(int block) {
  return state_.tensors.saved(geometry_.transform(block));
}

Operand ForwardOperator::derivative(int block, const Operand& state) {
  const Unit& unit = geometry_.transform(block);
  convolve(state_, unit, labels_.named(unit.head), state, saved(block).output);
  return saved(block).output;
}

Operand ForwardOperator::computed(int point, int stage) {
  return stage == geometry_.stage_of(point - 1)
             ? tensor(point)
             : add_state(geometry_, state_.writer, "coarse_state", role());
}

Operand ForwardOperator::received(int point) {
  if (point == geometry_.block_count()) return tensor(point);
  Operand& known = received_[point];
  if (known.buffer < 0) {
    known = add_state(geometry_,
                      state_.writer,
                      state_.context.name(geometry_.transform(point)) + "/input",
                      geometry_.is_kept(point) ? BufferRole::state : role());
  }
  return known;
}

void ForwardOperator::finish(int block, const Operand& state) {
  saved(block).inputs = {state};
}

const Operand& ForwardOperator::tensor(int point) const {
  return state_.tensors.output(geometry_.block(point - 1).sum);
}

}  // namespace cnnplan
