// Which blocks every rank owns, and which it needs: the inputs of transfer lists.
#pragma once

#include "planner/model/block_ownership.hpp"
#include "planner/model/plan.hpp"
#include "planner/model/rank_group.hpp"

namespace cnnplan {

// Output block of `layer` on every rank.
BlockOwnership owned_blocks(const Plan& plan, LayerIndex layer);
// Block of input `input` of `layer` that every rank needs to compute its block of `outputs`: the
// output block itself for element-wise layers, with its halo for windows, what it repeats for
// upsampling, and for a concat what of it comes from that input, in the input's indices.
BlockOwnership needed_blocks(const Network& network,
                             LayerIndex layer,
                             std::size_t input,
                             const BlockOwnership& outputs);
// The window of `layer` on the block `output`, with the padding that this block sees.
Window local_window(const Network& network, LayerIndex layer, const Box& output);

// That of an upsampling on the block `output`, as KernelSpec has it.
Window upsample_window(const Upsample& upsample, const Box& output);

// Ranks that hold other data of the same replica as `rank` under `mesh`, `rank` included: those
// whose gradients are summed.
RankGroup reduction_group(const Mesh& mesh, int rank);
// Ranks that normalise together with `rank`.
RankGroup statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank);

}  // namespace cnnplan
