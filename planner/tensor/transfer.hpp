// Lists which block goes to which rank. A halo exchange and a shuffle are both such a transfer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/tensor/box.hpp"
#include "planner/tensor/rank_boxes.hpp"

namespace cnnplan {

// Describes a block, in global indices, that goes to or comes from the rank `peer`. The peer may be
// the rank whose list has the piece.
struct Piece {
  int peer = 0;
  Box box;
  auto operator<=>(const Piece&) const = default;
};

// Describes one rank's part of a transfer. Each list has at most one piece per peer, and
// transfer_list sorts the pieces by peer.
struct TransferList {
  std::vector<Piece> sends;
  std::vector<Piece> receives;
  bool operator==(const TransferList&) const = default;
  bool empty() const { return sends.empty() && receives.empty(); }
};

// Lists the transfer from `sources` to `destinations`: every rank receives the intersection of its
// destination box with every distinct source block. Source blocks may overlap, as halos do whose
// gradients are summed. One replica of a block sends it: the receiver itself if it is a replica,
// else the replica nearest in rank, and the lower rank of two that are equally near. Where runs of
// `ranks_per_node` ranks are nodes, a replica on the receiver's node comes before all others.
// @pre both have an equal number of ranks, and `rank` is one of them; ranks_per_node >= 1
TransferList transfer_list(const RankBoxes& sources,
                           const RankBoxes& destinations,
                           int rank,
                           int ranks_per_node = 1);

// States the transfer lists of all ranks.
struct TransferRule {
  RankBoxes sources;
  RankBoxes destinations;
  int ranks_per_node = 1;  // 1: the nearest replica sends, on whatever node it is

  TransferList list(int rank) const {
    return transfer_list(sources, destinations, rank, ranks_per_node);
  }
};

// Returns transfer_list(destinations, sources, rank), for a transfer back. Without replicas, this
// is `there` with sends and receives exchanged.
// @pre `there` is transfer_list(sources, destinations, rank)
TransferList way_back(const TransferList& there,
                      const RankBoxes& sources,
                      const RankBoxes& destinations,
                      int rank);

// Counts the parts of a range that coordinates have in one dim.
struct DimPieces {
  int count = 0;  // without empty parts
  std::int64_t indices = 0;
  std::int64_t longest = 0;
};

// Counts the parts of `wanted` that all coordinates of a dim have.
DimPieces pieces_of(const DimRanges& ranges, Range wanted);
// Counts the parts that these coordinates have.
DimPieces pieces_of(const DimRanges& ranges, Range wanted, Coordinates coordinates);

// Counts the pieces that a rank gets in a transfer, and their elements.
struct ReceivedPieces {
  int senders = 0;            // other ranks, of which each sends one piece
  std::int64_t elements = 0;  // of all pieces from other ranks
  std::int64_t longest = 0;   // elements of the largest piece, which may be the own one
  std::int64_t own = 0;       // elements that the rank keeps; `elements` does not count them
  bool operator==(const ReceivedPieces&) const = default;
};

// Counts the pieces that a rank receives by transfer_list if its destination box is `wanted`. It
// makes no list. The time grows with the number of coordinates of `sources` that meet `wanted`.
ReceivedPieces received_pieces(const RankBoxes& sources, const Box& wanted, int rank);
// Does so where the pieces of each dim and the rank's own elements are known.
ReceivedPieces received_pieces(const std::array<DimPieces, dim_count>& dims, std::int64_t own);

// Returns coordinates along the axis of a dim that include those of the ranks `first` to `last`.
Coordinates coordinates_between(const RankBoxes& blocks, Dim dim, int first, int last);
// Returns an upper bound of the elements of `wanted` that come from the ranks `first` to `last`
// (inclusive). It combines the coordinates of these ranks dim by dim, so it may count blocks that
// none of them has.
// @pre 0 <= first <= last < sources.rank_count()
std::int64_t most_elements_from(const RankBoxes& sources, const Box& wanted, int first, int last);

}  // namespace cnnplan
