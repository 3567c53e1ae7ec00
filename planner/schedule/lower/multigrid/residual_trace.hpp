// Records the residuals of C-points on the finest level, where they are asked for.
#pragma once

#include <map>
#include <vector>

#include "planner/schedule/lower/multigrid/chain_states.hpp"

namespace cnnplan {

// Collects the residuals of one pass through a chain.
class ResidualTrace {
 public:
  // Keeps references to all arguments.
  ResidualTrace(const ChainGeometry& geometry, ChainStates& states, const ChainLabels& labels)
      : geometry_(geometry), states_(states), labels_(labels) {}

  // Adds the operation that computes the residual of the C-point after a group of blocks.
  // `propagated` is the state to which the blocks of the group lead from the state of its first
  // point. Only the ranks of the group's last block add the operation, and only if their stage
  // computed the state of the C-point.
  void record(const LayerRange& group, const Operand& propagated);
  // Adds the recorded residuals to `schedule`. Points are left out that lack a residual before the
  // first cycle or after any cycle, so that all norms are over the same points.
  void keep(Schedule& schedule) const;

 private:
  const ChainGeometry& geometry_;
  ChainStates& states_;
  const ChainLabels& labels_;
  std::map<int, std::vector<PointResidual>> residuals_;  // by point
};

}  // namespace cnnplan
