// Knows the blocks of a residual chain in the direction of one pass, and the ranks that have them.
//
// A pass takes a state from point to point. Points, blocks and steps are numbered in its direction,
// from 0 on. Block i leads from point i to point i + 1.
#pragma once

#include <vector>

#include "planner/network/residual_chain.hpp"
#include "planner/schedule/blocks/layer_hierarchy.hpp"
#include "planner/schedule/lower/state/lowering_context.hpp"

namespace cnnplan {

// Answers which rank has which block, for one rank, one chain and one direction.
class ChainGeometry {
 public:
  // Keeps a reference to the context. `blocks` and `hierarchy` are in the direction of the pass.
  // @pre `blocks` is not empty, and the hierarchy has as many layers
  ChainGeometry(const LoweringContext& context,
                const Multigrid& setting,
                ResidualChain blocks,
                LayerHierarchy hierarchy);

  // Returns the setting of the chain. In inference, its first guess is `coarse`, whatever the plan
  // says.
  const Multigrid& setting() const { return setting_; }
  int block_count() const { return static_cast<int>(blocks_.size()); }
  const ResidualBlock& block(int index) const { return blocks_[index]; }
  // Returns the unit that computes F of a block, and the unit that adds the result.
  const Unit& transform(int block) const;
  const Unit& sum(int block) const;

  const LayerHierarchy& hierarchy() const { return hierarchy_; }
  // Returns the blocks that a step of a level passes.
  const LayerRange& layers_of(int level, int step) const { return hierarchy_.steps(level)[step]; }
  // Returns the sum of the step lengths h (ResidualBlock::step) of some blocks.
  double length_of(const LayerRange& layers) const;

  // Returns the stage of a block: the coordinate along the axis l of the ranks that have it.
  int stage_of(int block) const;
  // Returns the stage that goes on from a point. The last point stays at the stage of the last
  // block.
  int home_of(int point) const;
  // Say whether this rank is at a stage, or has a block.
  bool is_at(int stage) const { return stage == own_stage_; }
  bool is_here(int block) const { return is_at(stage_of(block)); }
  // Returns the blocks of a state on the ranks of a stage, for the whole mini-batch.
  RankBoxes blocks_at(int stage) const;
  // Returns this rank's block of a state on its own stage.
  Box own_box() const;

  // True where the state of a point is the first guess of the next training step. With the first
  // guess `previous`, these are the C-points of the finest level except the end of the chain; else
  // there are none.
  bool is_kept(int point) const { return maker_of(point) >= 0; }
  // True where a point is kept, and the ranks that have the block before it make its last state.
  bool is_kept_where_block_is(int point) const;
  // Returns the stage that makes the last state of a point; -1 where the point is not kept.
  int maker_of(int point) const { return makers_[point]; }

 private:
  void find_makers();

  const LoweringContext& context_;
  Multigrid setting_;
  ResidualChain blocks_;
  LayerHierarchy hierarchy_;
  int own_stage_;
  std::vector<int> makers_;  // by point
};

}  // namespace cnnplan
