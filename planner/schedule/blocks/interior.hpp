// The outputs of a convolution that need no halo, and the strips beside them.
#pragma once

#include <vector>

#include "planner/network/network.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// A rank's blocks of a convolution.
struct ConvolutionBlocks {
  Box owned;    // of the input
  Box needed;   // of the input
  Box outputs;  // that it computes
};

// Outputs that one kernel computes. Of one sample and whole but along one dim, outside of which
// there is one position of each, so that they and what they need are dense.
struct OutputPart {
  Box outputs;
  Box needed;
  Window window;  // with the padding that they see
  enum class Place { interior, first_strip, last_strip } place = Place::interior;

  bool is_interior() const { return place == Place::interior; }  // needs what is owned only
};

// The interior, sample by sample, then the strips; together all outputs, each once. Nothing where
// the block has no interior or no halo, where halos are in other dims than the outermost that is
// longer than one, or where owners of the input are others than those who need it.
// Source: Dryden et al. 2019, section IV-A.
std::vector<OutputPart> interior_and_strips(const Network& network,
                                            LayerIndex convolution,
                                            const ConvolutionBlocks& blocks);

}  // namespace cnnplan
