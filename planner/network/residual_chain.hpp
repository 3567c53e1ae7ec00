// Residual chains in networks: u_{n+1} = u_n + h F(u_n), the unit of multigrid over layers.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {

// One layer of the chain in the sense of Kirby et al. 2020, equation 1: F is a convolution or fully
// connected layer, and the ReLU behind it where there is one.
struct ResidualBlock {
  LayerIndex weights = 0;    // the first layer of F
  LayerIndex transform = 0;  // the last layer of F
  LayerIndex sum = 0;        // the add
  double step = 1.0;         // h
  bool operator==(const ResidualBlock&) const = default;
};

// Blocks each of which reads what the one before it writes, and nobody else does.
using ResidualChain = std::vector<ResidualBlock>;

// The longest chains of a network, in order of their layers. A ReLU that clips from above belongs
// to no F.
std::vector<ResidualChain> residual_chains(const Network& network);
// The blocks from the one that begins with layer `first` to the one that ends with the add `last`;
// empty where these are not blocks of one chain, or another layer stands between them.
ResidualChain part_of_chain(const Network& network, LayerIndex first, LayerIndex last);

}  // namespace cnnplan
