// Layers whose channels are split over ranks: how convolutions are computed then, and which layers
// may be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

// Of a convolution, transposed or not, or fully connected layer whose mesh has an axis c; x and y
// are both split over their channels, and every rank has the slice of the weight that it multiplies
// with (Dryden et al. 2019b, "Channel and Filter Parallelism for Large-Scale CNN Training", section
// 3).
enum class ChannelAlgorithm {
  // Outputs stay: all channels of x are gathered, each rank computes its own of y. Backward, dx is
  // summed and scattered.
  stationary_y,
  // Inputs stay: each rank computes what its channels of x add to all of y, which is summed and
  // scattered. Backward, dy is gathered.
  stationary_x,
  // The weight stays, cut in both directions: of p ranks, f times q, each gathers one of q parts of
  // x, computes what that adds to one of f parts of y, which is summed and scattered among q ranks.
  // Backward, dy is gathered among these, and dx summed and scattered among the f with its part.
  stationary_w,
};
std::string_view to_text(ChannelAlgorithm algorithm);

// The q of stationary_w, for p ranks: the largest divisor of p that is no more than its root. 1 of
// stationary_y, p of stationary_x: these are its ends. @pre parts >= 1
int input_parts(ChannelAlgorithm algorithm, int parts);

// True for layers that multiply channels of x with a weight: those that have a ChannelAlgorithm.
bool mixes_channels(const LayerParameters& parameters);
// Groups of channels that a convolution does not mix with each other; 1 of other layers.
std::int64_t groups_of(const LayerParameters& parameters);
// Whether a layer adds a bias. @pre mixes_channels(parameters)
bool has_bias(const LayerParameters& parameters);

// What a mesh with `parts` parts of c would have to be instead for `layer`; empty where it may have
// them. The loss needs all channels of a position, samples are read with all of theirs, and a
// channel shuffle and a local response norm need those of other parts; blocks of grouped
// convolutions consist of whole groups, or of parts of one; stationary_w takes a number of parts
// that has two factors, and no more of them than there are channels.
// @pre parts >= 1
std::string channel_split_refusal(const Network& network,
                                  LayerIndex layer,
                                  int parts,
                                  ChannelAlgorithm algorithm);

}  // namespace cnnplan
