// Lowers the forward direction of a chain. States are the tensors of the network, and derivatives
// are the outputs of its convolutions.
#pragma once

#include <vector>

#include "planner/schedule/lower/multigrid/chain_labels.hpp"
#include "planner/schedule/lower/multigrid/chain_operator.hpp"
#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Computes outputs of the blocks as states. The overriding functions do what ChainOperator says.
class ForwardOperator final : public ChainOperator {
 public:
  // Keeps references to all arguments, and adds the memory for the outputs of all blocks.
  ForwardOperator(LoweringState& state, const ChainGeometry& geometry, const ChainLabels& labels);

  Operand derivative(int block, const Operand& state) override;
  double scale_of(int) const override { return 1.0; }
  Operand computed(int point, int stage) override;
  Operand received(int point) override;
  void finish(int block, const Operand& state) override;
  bool evaluates_all() const override { return !state_.context.is_inference(); }
  BufferRole role() const override { return BufferRole::activation; }

 private:
  // Returns the output of the block before a point.
  const Operand& tensor(int point) const;
  SavedOperands& saved(int block);

  LoweringState& state_;
  const ChainGeometry& geometry_;
  const ChainLabels& labels_;
  std::vector<Operand> received_;  // by point; buffer -1 where nothing was received
};

}  // namespace cnnplan
