// Adds the adjoint kernels of a chain, and the gradients of its weights.
#include "planner/schedule/lower/multigrid/backward_operator.hpp"

#include "planner/schedule/lower/layers/convolution.hpp"
#include "planner/schedule/lower/layers/element_wise.hpp"

namespace cnnplan {

BackwardOperator::BackwardOperator(LoweringState& state,
                                   const ChainGeometry& geometry,
                                   const ChainLabels& labels)
    : state_(state),
      geometry_(geometry),
      labels_(labels),
      transform_dy_(geometry.block_count()),
      kept_(geometry.block_count() + 1) {}

Operand BackwardOperator::derivative(int index, const Operand& state) {
  const Unit& add = geometry_.sum(index);
  const Unit& unit = geometry_.transform(index);
  Operand dy = state;
  if (geometry_.block(index).step != 1.0) {
    dy = scaled_gradient(state_, add, labels_.named(add.head, "backward_scale", ""), dy);
  }
  if (unit.relu) dy = backward_fused_relu(state_, unit, labels_.named(unit.last), dy);
  transform_dy_[index] = dy;
  return convolve_back(state_, unit, labels_.named(unit.head), dy);
}

Operand BackwardOperator::received(int point) {
  const std::string name = state_.context.name(geometry_.sum(point - 1)) + "/dx";
  if (!geometry_.is_kept(point)) return add_state(geometry_, state_.writer, name, role());
  Operand& kept = kept_[point];
  if (kept.buffer < 0) kept = add_state(geometry_, state_.writer, name, BufferRole::state);
  return kept;
}

void BackwardOperator::finish(int index, const Operand&) {
  const Unit& unit = geometry_.transform(index);
  if (geometry_.is_here(index)) {
    backward_filter(state_, unit, transform_dy_[index]);
  } else {
    // Other ranks may have to send a block that they compute again.
    state_.recompute.input(unit, 0);
  }
  state_.buckets.complete(unit);
}

}  // namespace cnnplan
