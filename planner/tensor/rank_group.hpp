// Describes the ranks that take part in a collective, as a rule instead of a list.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Holds the ranks of a mesh that have equal coordinates along some axes, in ascending order. Such
// ranks form nested runs of constant stride, which are all that is stored.
class RankGroup {
 public:
  RankGroup() = default;
  // Takes `count` ranks from `first` on, `stride` apart. @pre first >= 0, count >= 1, stride >= 1
  RankGroup(int first, int count, int stride = 1);
  // Takes `rank` and all ranks that have its coordinates along the axes in `fixed`.
  // @pre 0 <= rank < mesh.rank_count()
  RankGroup(const Mesh& mesh, int rank, const std::vector<Axis>& fixed);

  // A default group has no ranks.
  int size() const { return size_; }
  // Returns the rank at a position. @pre 0 <= position < size()
  int operator[](int position) const;
  // Return the lowest and the highest rank. @pre size() > 0
  int front() const { return first_; }
  int back() const { return (*this)[size_ - 1]; }
  // Returns the position of `rank` in the group. @pre the group has this rank
  int position_of(int rank) const;
  // Returns all ranks in ascending order.
  std::vector<int> ranks() const;
  // Returns the group that has `rank` and whose ranks have the distances of this group's ranks. It
  // finds all groups of a mesh from one of them. If no group of the mesh has `rank`, ranks of the
  // result may be negative.
  // @pre size() >= 1, rank >= 0
  RankGroup around(int rank) const;
  auto operator<=>(const RankGroup&) const = default;

 private:
  struct Steps {
    int count = 1;
    int stride = 1;
    auto operator<=>(const Steps&) const = default;
  };
  void add_inner(const Steps& steps);

  int first_ = 0;
  int size_ = 0;
  std::vector<Steps> steps_;  // innermost last; steps that make one longer run are merged
};

}  // namespace cnnplan
