// Transfer lists: which block goes to which rank. Halo exchange and shuffle are the same list.
#pragma once

#include <vector>

#include "planner/model/box.hpp"

namespace cnnplan {

// A block, in global indices, that goes to or comes from `peer` (which may be the rank itself).
struct Piece {
  int peer = 0;
  Box box;
  auto operator<=>(const Piece&) const = default;
};

// One rank's part. Both lists are ordered by peer and hold at most one piece per pair of blocks;
// pieces between the same two ranks stand in the same order on both sides.
struct TransferList {
  std::vector<Piece> sends;
  std::vector<Piece> receives;
  bool operator==(const TransferList&) const = default;
  bool empty() const { return sends.empty() && receives.empty(); }
};

// What every rank holds and wants. `block` numbers distinct blocks: ranks with equal numbers hold
// replicas, of which one sends: the receiver itself if it is one, else the one nearest in rank.
struct BlockOwnership {
  std::vector<Box> boxes;   // by rank
  std::vector<int> blocks;  // by rank
};

// From `sources` to `destinations`: every destination rank receives the intersection of its box
// with every distinct source block. Source blocks may overlap (halo gradients that are summed).
// @pre all vectors have the same size; 0 <= rank < size
TransferList transfer_list(const BlockOwnership& sources,
                           const BlockOwnership& destinations,
                           int rank);

}  // namespace cnnplan
