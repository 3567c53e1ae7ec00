// Lowers the backward direction of a chain, its adjoint. Derivatives include the steps h of the
// blocks, and the gradients of the weights follow from the last error signals.
#pragma once

#include <vector>

#include "planner/schedule/lower/multigrid/chain_labels.hpp"
#include "planner/schedule/lower/multigrid/chain_operator.hpp"
#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Computes error signals as states. The overriding functions do what ChainOperator says.
class BackwardOperator final : public ChainOperator {
 public:
  // Keeps references to all arguments.
  BackwardOperator(LoweringState& state, const ChainGeometry& geometry, const ChainLabels& labels);

  Operand derivative(int block, const Operand& state) override;
  double scale_of(int block) const override { return 1.0 / geometry_.block(block).step; }
  Operand computed(int point, int) override { return received(point); }
  Operand received(int point) override;
  void finish(int block, const Operand& state) override;
  bool evaluates_all() const override { return true; }
  BufferRole role() const override { return BufferRole::error_signal; }

 private:
  LoweringState& state_;
  const ChainGeometry& geometry_;
  const ChainLabels& labels_;
  std::vector<Operand> transform_dy_;  // by block: the gradient of the convolution's output
  std::vector<Operand> kept_;          // by point that is kept; buffer -1 before its first use
};

}  // namespace cnnplan
