// Lowers one pass of multigrid through a residual chain, forward or backward. It is full
// approximation storage with injection (Kirby et al. 2020, algorithm 1), written out as operations.
//
// k cycles of F-relaxation from a first guess on the coarsest level evaluate every block k + 1
// times.
#pragma once

#include "planner/schedule/lower/multigrid/chain_labels.hpp"
#include "planner/schedule/lower/multigrid/chain_operator.hpp"
#include "planner/schedule/lower/multigrid/chain_states.hpp"
#include "planner/schedule/lower/multigrid/residual_trace.hpp"

namespace cnnplan {

// Runs the cycles of one pass. Use it once.
class ChainPass {
 public:
  // Keeps references to all arguments except `first`. `first` is the state of the first point, on
  // the ranks of the first block.
  ChainPass(const LoweringContext& context,
            OperationWriter& writer,
            const ChainGeometry& geometry,
            ChainOperator& chain_operator,
            ChainLabels& labels,
            const Operand& first);

  // Adds the operations that compute the states of all points. Returns the state of the last point,
  // on the ranks of the last block.
  Operand run();

 private:
  void guess();
  void cycle(int level);
  void relax_c(int level);
  void relax_f(int level);
  void solve(int level);
  void refresh(int level);
  void finish();
  void finish_group(const LayerRange& group);
  void sweep(int level, const LayerRange& group);

  OperationWriter& writer_;
  const ChainGeometry& geometry_;
  ChainOperator& operator_;
  ChainLabels& labels_;
  ChainStates states_;
  bool traces_residuals_;
  ResidualTrace trace_;
};

}  // namespace cnnplan
