// Says which blocks every rank owns, and which it needs. Transfer lists follow from both.
#pragma once

#include <array>

#include "planner/network/layer_signature.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/rank_boxes.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// True if `rank` has a part of `layer`: it has the layer's stage as its coordinate on axis l.
bool is_at_stage(const Plan& plan, LayerIndex layer, int rank);
// Returns the output block of `layer` on every rank, for the whole mini-batch of the plan.
RankBoxes owned_blocks(const Plan& plan, LayerIndex layer);
// Returns the blocks of an input, in its own indices, that the ranks need to compute their blocks
// of `outputs`. Element-wise layers need the block itself, and windows need a halo around it. An
// upsampling needs the inputs that it repeats or interpolates, and a transposed convolution the
// inputs that reach the block. A concat or a slice needs the channels that it copies. Layers that
// mix channels need all channels of their groups, or one of the input_parts of all channels
// (planner/network/channel_split.hpp).
RankBoxes needed_blocks(const LayerSignature& layer,
                        const RankBoxes& outputs,
                        ChannelAlgorithm algorithm = ChannelAlgorithm::stationary_y);
// Returns the blocks that the kernels of `layer` compute where the ranks own `outputs`. They are
// `outputs` if sums over channels are complete. Otherwise each is the union of the blocks of all
// ranks that add up their parts.
RankBoxes computed_blocks(const Plan& plan, LayerIndex layer, const RankBoxes& outputs);
// Returns the shape of the weight of `layer`: (F, C/groups, KD, KH, KW), with F channels of the
// output, C channels of the input and a kernel of KD x KH x KW. A transposed convolution has (C,
// F/groups, KD, KH, KW).
Shape weight_shape(const Network& network, LayerIndex layer);
// Return the part of the weight of `layer` that a rank multiplies with, and the part of its bias
// (1, 1, 1, 1, F) that a rank adds, in global indices. Among ranks that compute parts of one sum,
// only the first adds the bias. Both parts are empty on other stages.
Box weight_block(const Plan& plan, LayerIndex layer, int rank);
Box bias_block(const Plan& plan, LayerIndex layer, int rank);
// Returns the channels of the output of `layer` that `rank` owns, even if it owns no positions. The
// range is empty on other stages.
Range own_channels(const Plan& plan, LayerIndex layer, int rank);
// Returns the window of `layer` on the block `output`, which has global indices. The padding is the
// one at the edges of this block. A transposed convolution has the window of the convolution from
// this block to its inputs.
Window local_window(const Network& network, LayerIndex layer, const Box& output);

// Returns the window of an upsampling of `input` on the block `output`, in the form of KernelSpec.
// Here and below, `input` is the global shape, and `output` has global indices.
Window upsample_window(const Upsample& upsample, const Shape& input, const Box& output);
// Returns the axes of a linear upsampling, in the form of KernelConstants.
std::array<InterpolationAxis, 3> interpolation_axes(const Upsample& upsample,
                                                    const Shape& input,
                                                    const Box& output);

// True if nodes cut the reduction groups of all replicas at the same members. Sums that are added
// node by node then have one order for all replicas. @pre ranks_per_node >= 1
bool has_alike_replicas(const Mesh& mesh, int ranks_per_node);

// Returns the ranks whose parameter gradients are summed with those of `rank`, which is included.
// Under `mesh`, they have the channels, the replica and the stage of `rank`, and other samples and
// positions.
RankGroup reduction_group(const Mesh& mesh, int rank);
// Returns the ranks that normalise together with `rank`, which is included. With `local`
// statistics, this is the rank alone. With `spatial`, they have the samples, channels, replica and
// stage of `rank`, and other positions. With `global`, they are its reduction_group.
RankGroup statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank);

}  // namespace cnnplan
