// Finds the stages of blocks and points.
#include "planner/schedule/lower/multigrid/chain_geometry.hpp"

#include <algorithm>
#include <utility>

namespace cnnplan {

ChainGeometry::ChainGeometry(const LoweringContext& context,
                             const Multigrid& setting,
                             ResidualChain blocks,
                             LayerHierarchy hierarchy)
    : context_(context),
      setting_(setting),
      blocks_(std::move(blocks)),
      hierarchy_(std::move(hierarchy)),
      own_stage_(context.layer_plan(blocks_[0].sum).mesh.coordinate(context.rank(), Axis::l)),
      makers_(blocks_.size() + 1, -1) {
  // Samples of an inference are not the samples that the last step was trained on.
  if (context.is_inference()) setting_.first_guess = FirstGuess::coarse;
  if (setting_.first_guess == FirstGuess::previous) find_makers();
}

// The maker is the step that ends at the point, on the coarsest level that has the point.
void ChainGeometry::find_makers() {
  for (int level = 1; level < hierarchy_.levels(); ++level) {
    for (const LayerRange& layers : hierarchy_.steps(level)) {
      if (layers.end == block_count()) continue;
      makers_[layers.end] = stage_of(layers.first);
    }
  }
}

const Unit& ChainGeometry::transform(int index) const {
  return context_.decomposition().unit_of(block(index).weights);
}

const Unit& ChainGeometry::sum(int index) const {
  return context_.decomposition().unit_of(block(index).sum);
}

double ChainGeometry::length_of(const LayerRange& layers) const {
  double length = 0.0;
  for (int i = layers.first; i < layers.end; ++i) length += block(i).step;
  return length;
}

int ChainGeometry::stage_of(int index) const {
  return context_.layer_plan(block(index).sum).stage;
}

int ChainGeometry::home_of(int point) const {
  return stage_of(std::min(point, block_count() - 1));
}

BlockOwnership ChainGeometry::blocks_at(int stage) const {
  const LayerIndex layer = block(0).sum;
  return BlockOwnership(Distribution(context_.network().output_shape(layer, context_.plan().batch),
                                     context_.layer_plan(layer).mesh,
                                     stage));
}

Box ChainGeometry::own_box() const {
  return blocks_at(own_stage_).box(context_.rank());
}

bool ChainGeometry::is_kept_where_block_is(int point) const {
  return is_kept(point) && maker_of(point) == stage_of(point - 1);
}

}  // namespace cnnplan
