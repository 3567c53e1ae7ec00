// Transfer lists: which block goes to which rank. Halo exchange and shuffle are the same list.
#pragma once

#include <vector>

#include "planner/tensor/block_ownership.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {

// A block, in global indices, that goes to or comes from `peer` (which may be the rank itself).
struct Piece {
  int peer = 0;
  Box box;
  auto operator<=>(const Piece&) const = default;
};

// One rank's part. Both lists hold at most one piece per peer, and transfer_list orders them by
// that.
struct TransferList {
  std::vector<Piece> sends;
  std::vector<Piece> receives;
  bool operator==(const TransferList&) const = default;
  bool empty() const { return sends.empty() && receives.empty(); }
};

// From `sources` to `destinations`: every destination rank receives the intersection of its box
// with every distinct source block. Source blocks may overlap (halo gradients that are summed). Of
// replicas of a block one sends: the receiver itself if it is one, else the one nearest in rank,
// the lower of two.
// @pre both have the same number of ranks; 0 <= rank < that
TransferList transfer_list(const BlockOwnership& sources,
                           const BlockOwnership& destinations,
                           int rank);

// From what to what a transfer goes: the lists of all its ranks.
struct TransferRule {
  BlockOwnership sources;
  BlockOwnership destinations;
};

// `there` is transfer_list(sources, destinations, rank); the list of the way back, from
// destinations to sources. Where neither has replicas that is the same list seen from the other
// end.
TransferList way_back(const TransferList& there,
                      const BlockOwnership& sources,
                      const BlockOwnership& destinations,
                      int rank);

// How many other ranks send to the one that owns `own` of `sources` and wants `wanted`, without the
// list: in time that grows with the logarithm of the number of ranks.
int sender_count(const BlockOwnership& sources, const Box& own, const Box& wanted);

}  // namespace cnnplan
