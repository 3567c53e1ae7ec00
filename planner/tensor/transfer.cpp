// Computes transfer lists by intersecting wanted boxes with the boxes that ranks hold.
#include "planner/tensor/transfer.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace cnnplan {
namespace {

// Describes the ranks that hold replicas of one block.
struct Holders {
  int first = 0;
  int count = 1;
  int stride = 1;

  // Returns the replica that sends to `receiver`, as transfer_list says.
  int provider(int receiver) const {
    if (receiver <= first) return first;
    const int below = std::min((receiver - first) / stride, count - 1);
    const int lower = first + below * stride;
    const bool upper_is_nearer = below + 1 < count && lower + stride - receiver < receiver - lower;
    return upper_is_nearer ? lower + stride : lower;
  }
};

Holders holders_of(const BlockOwnership& sources, int rank) {
  const Mesh& mesh = sources.mesh();
  if (mesh.size(Axis::r) == 1) return {.first = rank};
  const int stride = mesh.stride(Axis::r);
  return {.first = rank - mesh.coordinate(rank, Axis::r) * stride,
          .count = mesh.size(Axis::r),
          .stride = stride};
}

enum class Replicas { all, first };

// Walks the ranks whose blocks meet a box. Of replicas, it visits all or only the first.
template <typename Visit>
class Meeting {
 public:
  Meeting(const BlockOwnership& blocks, Replicas replicas, const Visit& visit)
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

  const BlockOwnership& blocks_;
  Replicas replicas_;
  const Visit& visit_;
};

template <typename Visit>
void visit_meeting(const BlockOwnership& blocks,
                   const Box& box,
                   Replicas replicas,
                   const Visit& visit) {
  if (!is_empty(box)) Meeting<Visit>(blocks, replicas, visit).with(box);
}

void sort_by_peer(std::vector<Piece>& pieces) {
  const auto less = [](const Piece& a, const Piece& b) { return a.peer < b.peer; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), less)) {
    std::sort(pieces.begin(), pieces.end(), less);
  }
}

}  // namespace

TransferList transfer_list(const BlockOwnership& sources,
                           const BlockOwnership& destinations,
                           int rank) {
  if (sources.rank_count() != destinations.rank_count()) {
    throw std::logic_error("transfer between distributions of different rank counts");
  }
  TransferList list;
  const Box wanted = destinations.box(rank);
  visit_meeting(sources, wanted, Replicas::first, [&](int holder, const Box& piece) {
    list.receives.push_back({holders_of(sources, holder).provider(rank), piece});
  });
  const Holders holders = holders_of(sources, rank);
  visit_meeting(
      destinations, sources.box(rank), Replicas::all, [&](int receiver, const Box& piece) {
        if (holders.provider(receiver) == rank) list.sends.push_back({receiver, piece});
      });
  sort_by_peer(list.sends);
  sort_by_peer(list.receives);
  return list;
}

TransferList way_back(const TransferList& there,
                      const BlockOwnership& sources,
                      const BlockOwnership& destinations,
                      int rank) {
  if (!sources.has_replicas() && !destinations.has_replicas()) {
    return {.sends = there.receives, .receives = there.sends};
  }
  return transfer_list(destinations, sources, rank);
}

int sender_count(const BlockOwnership& sources, const Box& own, const Box& wanted) {
  if (is_empty(wanted)) return 0;
  int count = 1;
  for (Dim dim : all_dims) count *= sources.ranges(dim).count_meeting(wanted[dim]);
  return overlap(own, wanted) ? count - 1 : count;
}

}  // namespace cnnplan
