// Computes which outputs of a convolution need no halo, and the strips around these outputs.
#pragma once

#include <vector>

#include "planner/network/network.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Holds the blocks that a rank has of a convolution.
struct ConvolutionBlocks {
  Box owned;    // of the input
  Box needed;   // of the input
  Box outputs;  // that the rank computes
};

// Holds outputs of one sample that one kernel computes. They are cut along one dim, and there is
// one position in each dim outside of it. So the outputs and the inputs that they need are dense.
struct OutputPart {
  Box outputs;    // global indices
  Box needed;     // global indices of the inputs
  Window window;  // with the padding at the edges of `outputs`
  // Says whether the part needs no halo, or the halo before or after the owned block.
  enum class Place { interior, first_strip, last_strip } place = Place::interior;

  bool is_interior() const { return place == Place::interior; }  // needs owned blocks only
};

// Returns the interior, sample by sample, then the strips. Together they are all outputs, each
// once. The list is empty where the block has no interior or no halo. It is also empty where owned
// and needed blocks differ in another dim than the outermost spatial dim that is longer than one.
// Source: Dryden et al. 2019, section IV-A.
std::vector<OutputPart> interior_and_strips(const Network& network,
                                            LayerIndex convolution,
                                            const ConvolutionBlocks& blocks);

}  // namespace cnnplan
