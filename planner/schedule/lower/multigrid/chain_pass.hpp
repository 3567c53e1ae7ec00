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
  // Computes the states with which the first cycle begins, or takes them (FirstGuess).
  void guess();
  // Adds a cycle from this level down to the coarsest one and back.
  void cycle(int level);
  // Computes the F-points of a level and then its C-points, each C-point from the points before it.
  void relax_c(int level);
  // Computes the F-points of a level, and from them the right sides of the next level.
  void relax_f(int level);
  // Computes all points of the coarsest level, one after the other.
  void solve(int level);
  // Computes the F-points after C-points that have changed.
  void refresh(int level);
  // Hands the last state of every block to the operator, group by group.
  void finish();
  void finish_group(const LayerRange& group);
  // Computes the states inside a group of steps, and the derivative at the last of them.
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
