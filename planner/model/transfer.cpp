// Transfer lists by box algebra: needed boxes intersected with what others hold.
#include "planner/model/transfer.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace cnnplan {
namespace {

// The ranks that hold replicas of one block.
struct Holders {
  int first = 0;
  int count = 1;
  int stride = 1;

  // Which of them serves `receiver`: itself, else the nearest in rank, the lower one of two.
  int provider(int receiver) const {
    if (receiver <= first) return first;
    const int below = std::min((receiver - first) / stride, count - 1);
    const int lower = first + below * stride;
    const bool upper_is_nearer =
        below + 1 < count && lower + stride - receiver < receiver - lower;
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

// Calls `visit` with every rank whose coordinates along the `axes` of a mesh may meet `box`; of
// replicas with all, or with the first.
template <typename Visit>
void visit_meeting(const BlockOwnership& blocks,
                   const Box& box,
                   bool replicas,
                   std::span<const MeshAxis> axes,
                   int first,
                   const Visit& visit) {
  if (axes.empty()) {
    visit(first);
    return;
  }
  const MeshAxis axis = axes.front();
  Coordinates coordinates{.begin = 0, .end = replicas ? axis.size : 1};
  if (axis.axis != Axis::r) {
    const Dim dim = static_cast<Dim>(axis.axis);
    coordinates = blocks.meeting(dim, box[dim]);
  }
  const int stride = blocks.mesh().stride(axis.axis);
  for (int i = coordinates.begin; i < coordinates.end; ++i) {
    visit_meeting(blocks, box, replicas, axes.subspan(1), first + i * stride, visit);
  }
}

enum class Of { all_replicas, one_replica };

template <typename Visit>
void visit_meeting(const BlockOwnership& blocks, const Box& box, Of which, const Visit& visit) {
  if (is_empty(box)) return;
  visit_meeting(blocks, box, which == Of::all_replicas, blocks.mesh().axes(), 0, visit);
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
  visit_meeting(sources, wanted, Of::one_replica, [&](int holder) {
    const Box piece = intersect(sources.box(holder), wanted);
    if (is_empty(piece)) return;
    list.receives.push_back({holders_of(sources, holder).provider(rank), piece});
  });
  const Box held = sources.box(rank);
  const Holders holders = holders_of(sources, rank);
  visit_meeting(destinations, held, Of::all_replicas, [&](int receiver) {
    if (holders.provider(receiver) != rank) return;
    const Box piece = intersect(held, destinations.box(receiver));
    if (!is_empty(piece)) list.sends.push_back({receiver, piece});
  });
  sort_by_peer(list.sends);
  sort_by_peer(list.receives);
  return list;
}

}  // namespace cnnplan
