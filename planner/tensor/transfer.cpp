// Computes transfer lists by intersecting wanted boxes with the boxes that ranks hold.
#include "planner/tensor/transfer.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace cnnplan {
namespace {

// Knows the ranks that hold replicas of one block.
class Holders {
 public:
  Holders(int first, int count, int stride) : first_(first), count_(count), stride_(stride) {}

  // Returns the replica that sends to `receiver`, as transfer_list says.
  int provider(int receiver, int ranks_per_node) const {
    const int node = receiver / ranks_per_node * ranks_per_node;
    const auto is_on_node = [&](int rank) { return rank >= node && rank - node < ranks_per_node; };
    const int nearest = nearest_to(receiver);
    if (is_on_node(nearest)) return nearest;
    // The nearest replica on the node, if there is one, is the next one towards the receiver.
    const int next = nearest < node ? nearest + stride_ : nearest - stride_;
    const bool exists = next >= first_ && (next - first_) / stride_ < count_;
    return exists && is_on_node(next) ? next : nearest;
  }

 private:
  int nearest_to(int receiver) const {
    if (receiver <= first_) return first_;
    const int below = std::min((receiver - first_) / stride_, count_ - 1);
    const int lower = first_ + below * stride_;
    const bool upper_is_nearer =
        below + 1 < count_ && lower + stride_ - receiver < receiver - lower;
    return upper_is_nearer ? lower + stride_ : lower;
  }

  int first_;
  int count_;
  int stride_;
};

Holders holders_of(const RankBoxes& sources, int rank) {
  const Mesh& mesh = sources.mesh();
  if (mesh.size(Axis::r) == 1) return {rank, 1, 1};
  const int stride = mesh.stride(Axis::r);
  return {rank - mesh.coordinate(rank, Axis::r) * stride, mesh.size(Axis::r), stride};
}

enum class Replicas { all, first };

// Walks the ranks whose blocks meet a box. Of replicas, it visits all or only the first.
template <typename Visit>
class Meeting {
 public:
  Meeting(const RankBoxes& blocks, Replicas replicas, const Visit& visit)
      : blocks_(blocks), replicas_(replicas), visit_(visit) {}

  // Calls visit(rank, intersection of the block of `rank` and `box`).
  void with(const Box& box) const {
    Box piece = box;
    for (Dim dim : all_dims) {
      if (blocks_.ranges(dim).rule.parts > 1) continue;
      piece[dim] = intersect(box[dim], blocks_.range(dim, 0));
    }
    if (!is_empty(piece)) with(piece, blocks_.mesh().axes(), 0);
  }

 private:
  // Visits the ranks from `first` on that have any coordinates along the axes in `rest`.
  void with(const Box& piece, std::span<const MeshAxis> rest, int first) const {
    if (rest.empty()) {
      visit_(first, piece);
    } else if (rest.front().axis == Axis::r) {
      along_replicas(piece, rest, first);
    } else if (rest.front().axis == Axis::l) {
      with(piece, rest.subspan(1), first + blocks_.stage() * blocks_.mesh().stride(Axis::l));
    } else {
      along_dim(piece, rest, first);
    }
  }

  void along_replicas(const Box& piece, std::span<const MeshAxis> rest, int first) const {
    const int stride = blocks_.mesh().stride(Axis::r);
    const int count = replicas_ == Replicas::all ? rest.front().size : 1;
    for (int i = 0; i < count; ++i) with(piece, rest.subspan(1), first + i * stride);
  }

  void along_dim(Box piece, std::span<const MeshAxis> rest, int first) const {
    const Dim dim = static_cast<Dim>(rest.front().axis);
    const int stride = blocks_.mesh().stride(rest.front().axis);
    const Range range = piece[dim];
    const Coordinates coordinates = blocks_.ranges(dim).meeting(range);
    for (int i = coordinates.begin; i < coordinates.end; ++i) {
      piece[dim] = intersect(range, blocks_.range(dim, i));
      if (piece[dim].size() > 0) with(piece, rest.subspan(1), first + i * stride);
    }
  }

  const RankBoxes& blocks_;
  Replicas replicas_;
  const Visit& visit_;
};

template <typename Visit>
void visit_meeting(const RankBoxes& blocks, const Box& box, Replicas replicas, const Visit& visit) {
  if (!is_empty(box)) Meeting<Visit>(blocks, replicas, visit).with(box);
}

void sort_by_peer(std::vector<Piece>& pieces) {
  const auto less = [](const Piece& a, const Piece& b) { return a.peer < b.peer; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), less)) {
    std::sort(pieces.begin(), pieces.end(), less);
  }
}

}  // namespace

TransferList transfer_list(const RankBoxes& sources,
                           const RankBoxes& destinations,
                           int rank,
                           int ranks_per_node) {
  if (sources.rank_count() != destinations.rank_count()) {
    throw std::logic_error("transfer between distributions of different rank counts");
  }
  // Most ranks exchange with a neighbour on either side, and keep a piece.
  constexpr std::size_t usual_pieces = 4;
  TransferList list;
  list.receives.reserve(usual_pieces);
  list.sends.reserve(usual_pieces);
  const Box wanted = destinations.box(rank);
  visit_meeting(sources, wanted, Replicas::first, [&](int holder, const Box& piece) {
    list.receives.push_back({holders_of(sources, holder).provider(rank, ranks_per_node), piece});
  });
  const Holders holders = holders_of(sources, rank);
  visit_meeting(
      destinations, sources.box(rank), Replicas::all, [&](int receiver, const Box& piece) {
        if (holders.provider(receiver, ranks_per_node) == rank)
          list.sends.push_back({receiver, piece});
      });
  sort_by_peer(list.sends);
  sort_by_peer(list.receives);
  return list;
}

TransferList way_back(const TransferList& there,
                      const RankBoxes& sources,
                      const RankBoxes& destinations,
                      int rank) {
  if (!sources.has_replicas() && !destinations.has_replicas()) {
    return {.sends = there.receives, .receives = there.sends};
  }
  return transfer_list(destinations, sources, rank);
}

DimPieces pieces_of(const DimRanges& ranges, Range wanted, Coordinates coordinates) {
  DimPieces pieces;
  for (int i = coordinates.begin; i < coordinates.end; ++i) {
    const std::int64_t size = intersect(ranges.at(i), wanted).size();
    pieces.count += size > 0 ? 1 : 0;
    pieces.indices += size;
    pieces.longest = std::max(pieces.longest, size);
  }
  return pieces;
}

DimPieces pieces_of(const DimRanges& ranges, Range wanted) {
  if (wanted.size() == 0) return {};
  const bool is_whole = ranges.rule.parts == 1;  // as in most dims, which need no search
  return pieces_of(
      ranges, wanted, is_whole ? Coordinates{.begin = 0, .end = 1} : ranges.meeting(wanted));
}

ReceivedPieces received_pieces(const std::array<DimPieces, dim_count>& dims, std::int64_t own) {
  ReceivedPieces all{.senders = 1, .elements = 1, .longest = 1, .own = own};
  for (const DimPieces& pieces : dims) {
    all.senders *= pieces.count;
    all.elements = checked_multiply(all.elements, pieces.indices);
    all.longest *= pieces.longest;
  }
  if (all.own > 0) {
    --all.senders;
    all.elements -= all.own;
  }
  return all;
}

ReceivedPieces received_pieces(const RankBoxes& sources, const Box& wanted, int rank) {
  if (is_empty(wanted)) return {};
  const MeshCoordinates at = sources.mesh().coordinates(rank);
  std::array<DimPieces, dim_count> dims;
  std::int64_t own = at[static_cast<std::size_t>(Axis::l)] == sources.stage() ? 1 : 0;
  for (std::size_t i = 0; i < dim_count; ++i) {
    const DimRanges& ranges = sources.ranges(static_cast<Dim>(i));
    dims[i] = pieces_of(ranges, wanted.ranges[i]);
    own *= intersect(ranges.at(at[i]), wanted.ranges[i]).size();
  }
  return received_pieces(dims, own);
}

Coordinates coordinates_between(const RankBoxes& blocks, Dim dim, int first, int last) {
  const int size = blocks.ranges(dim).rule.parts;
  if (size == 1) return {.begin = 0, .end = 1};
  const int stride = blocks.mesh().stride(static_cast<Axis>(dim));
  const int from = first / stride;
  const int to = last / stride;
  if (from / size != to / size) return {.begin = 0, .end = size};
  return {.begin = from % size, .end = to % size + 1};
}

std::int64_t most_elements_from(const RankBoxes& sources, const Box& wanted, int first, int last) {
  std::int64_t elements = 1;
  for (const Dim dim : all_dims) {
    const Coordinates coordinates = coordinates_between(sources, dim, first, last);
    const DimPieces pieces = pieces_of(sources.ranges(dim), wanted[dim], coordinates);
    elements = checked_multiply(elements, pieces.indices);
  }
  return elements;
}

}  // namespace cnnplan
