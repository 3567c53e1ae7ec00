// Finds residual chains u_{n+1} = u_n + h F(u_n), which multigrid over layers can run.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {

// Holds one layer of the chain in the sense of Kirby et al. 2020, equation 1. F is a convolution or
// a fully connected layer, with the ReLU after it if there is one. The add has u_n as its first
// input and F(u_n) as its second input. No other layer reads from F.
struct ResidualBlock {
  LayerIndex weights;    // the first layer of F
  LayerIndex transform;  // the last layer of F
  LayerIndex sum;        // the add
  double step = 1.0;     // h
  bool operator==(const ResidualBlock&) const = default;
};

// Each block is the only reader of the block before it.
using ResidualChain = std::vector<ResidualBlock>;

// Returns the longest chains of a network, in order of their layers. A chain may have one block.
// Transposed convolutions, and ReLUs that clip from above, belong to no F. An add that only a ReLU
// reads ends no block, because the kernel of the add then computes this ReLU, too.
std::vector<ResidualChain> residual_chains(const Network& network);
// Returns the part of a chain from the block that begins with the layer `first` to the block that
// ends with the add `last`. It is empty if no chain has both, or if another layer lies between
// them.
ResidualChain part_of_chain(const Network& network, LayerIndex first, LayerIndex last);

}  // namespace cnnplan
