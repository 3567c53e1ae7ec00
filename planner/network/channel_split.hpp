// Defines the algorithms of layers whose channels are split, and says which splits are valid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/network/network.hpp"

namespace cnnplan {

// Says how a layer that mixes channels is computed on a mesh with an axis c. Both x and y are split
// over their channels, and every rank has the slice of the weight that it multiplies with. Source:
// Dryden et al. 2019b, "Channel and Filter Parallelism for Large-Scale CNN Training", section 3.
enum class ChannelAlgorithm {
  // Outputs stay. All channels of x are gathered, and each rank computes its own channels of y.
  // Backward, dx is summed and scattered.
  stationary_y,
  // Inputs stay. Each rank computes the part of y that its channels of x contribute. These parts
  // are summed and scattered. Backward, dy is gathered.
  stationary_x,
  // The weight stays, cut in both directions. The p = f q ranks each gather one of q parts of x,
  // and compute its contribution to one of f parts of y. Contributions are summed and scattered
  // among q ranks. Backward, dy is gathered among these q ranks, and dx is summed and scattered
  // among the f ranks with its part.
  stationary_w,
};
std::string_view to_text(ChannelAlgorithm algorithm);

// Returns into how many parts of x the kernels of a layer on `parts` coordinates along c divide the
// channels. stationary_y has 1, stationary_x has `parts`, and stationary_w has the largest divisor
// of `parts` up to its square root. @pre parts >= 1
int input_parts(ChannelAlgorithm algorithm, int parts);

// Checks whether a layer can be split into `parts` blocks of channels. Returns an empty text if it
// can, else a text that says what is allowed. One part is valid for every layer. Some kinds need
// all channels of a position (LayerTraits). A grouped convolution allows stationary_y only. Its
// blocks consist of whole groups, or of parts of one group. stationary_w needs a number of parts
// that is no prime, at least `parts` channels of y, and at least input_parts() channels of x.
// @pre parts >= 1
std::string channel_split_refusal(const Network& network,
                                  LayerIndex layer,
                                  int parts,
                                  ChannelAlgorithm algorithm);

}  // namespace cnnplan
