// Ranks that take part in a collective: a rule instead of a list.
#pragma once

#include <array>
#include <compare>
#include <vector>

#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// The ranks of a mesh that agree with one of them along some of its axes, in ascending order.
class RankGroup {
 public:
  RankGroup() = default;
  // `count` ranks, each `stride` after the one before. @pre first >= 0, count >= 1, stride >= 1
  RankGroup(int first, int count, int stride = 1);
  // Those with the coordinates of `rank` along the axes in `fixed`, and any along the others.
  // @pre 0 <= rank < mesh.rank_count()
  RankGroup(const Mesh& mesh, int rank, const std::vector<Axis>& fixed);

  // 0 of a group that was not set.
  int size() const { return size_; }
  // @pre 0 <= position < size()
  int operator[](int position) const;
  int front() const { return first_; }
  int back() const { return (*this)[size_ - 1]; }
  // The place of `rank` in the group. @pre the group has it
  int position_of(int rank) const;
  // All of them: size() numbers.
  std::vector<int> ranks() const;
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
  std::vector<Steps> steps_;  // the innermost last; those that make one longer run are merged
};

}  // namespace cnnplan
