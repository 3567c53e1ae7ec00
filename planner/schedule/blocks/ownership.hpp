// Which blocks every rank owns, and which it needs: the inputs of transfer lists.
#pragma once

#include <array>

#include "planner/network/layer_signature.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/rank_boxes.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// Whether `rank` has anything of `layer`: on an axis l, one coordinate has all of it.
bool is_at_stage(const Plan& plan, LayerIndex layer, int rank);
// Output block of `layer` on every rank.
RankBoxes owned_blocks(const Plan& plan, LayerIndex layer);
// Returns the blocks of an input, in its own indices, that the ranks need to compute their blocks
// of `outputs`. Element-wise layers need the block itself, and windows need a halo around it. An
// upsampling needs the inputs that it repeats or interpolates, and a transposed convolution the
// inputs that reach the block. A concat or a slice needs the channels that it copies. Layers that
// mix channels need all of their groups, or one of input_parts of them.
RankBoxes needed_blocks(const LayerSignature& layer,
                        const RankBoxes& outputs,
                        ChannelAlgorithm algorithm = ChannelAlgorithm::stationary_y);
// Blocks that the kernels of `layer` compute where the ranks own `outputs`: these, but where sums
// over channels are not complete, those of all ranks that add up what they have of them.
RankBoxes computed_blocks(const Plan& plan, LayerIndex layer, const RankBoxes& outputs);
// Shape of the weight of `layer`: (F, C/groups, KD, KH, KW), of a transposed convolution
// (C, F/groups, KD, KH, KW).
Shape weight_shape(const Network& network, LayerIndex layer);
// The part of the weight of `layer` that a rank multiplies with, and of
// its bias (1, 1, 1, 1, F) the part that it adds: of the ranks that share sums, the first adds
// all.
Box weight_block(const Plan& plan, LayerIndex layer, int rank);
Box bias_block(const Plan& plan, LayerIndex layer, int rank);
// Channels of the output of `layer` that `rank` owns, also where it owns no positions.
Range own_channels(const Plan& plan, LayerIndex layer, int rank);
// The window of `layer` on the block `output`, with the padding that this block sees; of a
// transposed convolution, that of the convolution from this block to what it needs.
Window local_window(const Network& network, LayerIndex layer, const Box& output);

// That of an upsampling of `input` on the block `output`, as KernelSpec has it.
Window upsample_window(const Upsample& upsample, const Shape& input, const Box& output);
// Of a linear one, as KernelConstants has them.
std::array<InterpolationAxis, 3> interpolation_axes(const Upsample& upsample,
                                                    const Shape& input,
                                                    const Box& output);

// Whether groups of ranks that are replicas of each other lie alike in their nodes: what is summed
// node by node is then summed in the same order in all of them.
bool has_alike_replicas(const Mesh& mesh, int ranks_per_node);

// Ranks that hold other positions of the same channels and the same replica as `rank` under `mesh`,
// `rank` included: those whose gradients are summed.
RankGroup reduction_group(const Mesh& mesh, int rank);
// Ranks that normalise together with `rank`.
RankGroup statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank);

}  // namespace cnnplan
