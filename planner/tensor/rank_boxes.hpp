// States which box of a tensor every rank owns, needs or computes. Rules take the place of lists,
// so a plan for 65,536 ranks takes no more memory than a plan for two.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "planner/tensor/distribution.hpp"
#include "planner/tensor/range_rule.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Maps ranks to boxes. The range of a box in one dim depends only on the rank's coordinate along
// the axis that splits this dim. Ranks at another coordinate along l than the stage have no box.
class RankBoxes {
 public:
  // Each rank has the box that it owns.
  explicit RankBoxes(const Distribution& distribution);

  // Returns the boxes that windows over these boxes read of their input. Only the spatial extents
  // of `input`, the global shape of the input, are used. Empty boxes read nothing.
  RankBoxes under(const Window& window, const Shape& input) const;
  // Returns the boxes that a transposed convolution reads to make these boxes of its output.
  // `input` is as in under().
  RankBoxes over(const Window& window, const Shape& input) const;
  // Returns the boxes that an upsampling reads to make these boxes of its output. `dims` are the
  // spatial dims in the order d, h, w, and `input` is as in under().
  RankBoxes upsampled(const std::array<UpsampleDim, 3>& dims, const Shape& input) const;
  // Returns boxes of an input with `count` channels in `groups` groups. Each box has the whole
  // groups from which the channels of this box are computed.
  // @pre `groups` divides both numbers of channels
  RankBoxes with_channels(std::int64_t count, std::int64_t groups) const;
  // Returns boxes with `count` channels instead, cut into `parts` blocks. Coordinate i along c has
  // block i % parts. A box is empty if it was empty in another dim, or if its new block is.
  // @pre `parts` divides the number of coordinates; unless it equals this number, it is at most
  // `count`
  RankBoxes with_channel_blocks(std::int64_t count, int parts) const;
  // Returns boxes with `count` channels instead, cut into one block for each coordinate along c.
  // `together` coordinates in a row have the union of their blocks.
  // @pre `together` divides the number of coordinates along c. If these boxes come from
  // with_channel_blocks, there are at most `count` coordinates
  RankBoxes with_joined_channels(std::int64_t count, int together) const;
  // Returns the part of the boxes with channels [first, first + count), which become channels
  // [0, count). `first` may be below 0. A box without any of these channels is empty in all dims.
  RankBoxes channels(std::int64_t first, std::int64_t count) const;
  // Returns how the ranks of each node divide the box that all of them have: each rank of a node
  // has one part of it, cut along the dim `along`. Runs of `ranks_per_node` ranks are nodes. The
  // result is absent where one node has all ranks, where nodes differ in size, where the ranks of a
  // node have different boxes, where boxes of two nodes overlap but differ, or where nodes differ
  // along this dim. @pre ranks_per_node >= 1
  std::optional<RankBoxes> divided_in_nodes(int ranks_per_node, Dim along) const;
  using Tables = RangeTables;
  // Returns equal boxes whose ranges are looked up in tables, which is faster for many questions.
  // Each table has as many ranges as the mesh has coordinates along the axis. The result may
  // outlive `tables`.
  RankBoxes tabulated(Tables& tables) const;

  const Mesh& mesh() const { return mesh_; }
  // Returns the coordinate along l whose ranks have the tensor.
  int stage() const { return stage_; }
  int rank_count() const { return mesh_.rank_count(); }
  // Returns the rank's box, in global indices. Ranks of other stages have a box that is empty in
  // all dims. @pre 0 <= rank < rank_count(), for this function and the next
  Box box(int rank) const;
  // Numbers the boxes: ranks with equal numbers hold replicas of one box.
  int block(int rank) const;
  // Returns the ranges of `dim`, by coordinate along its axis.
  const DimRanges& ranges(Dim dim) const { return dims_[static_cast<std::size_t>(dim)]; }
  // Returns the range of `dim` for ranks at this coordinate along its axis, if they have a box.
  // @pre 0 <= coordinate < mesh().size(the axis)
  Range range(Dim dim, int coordinate) const { return ranges(dim).at(coordinate); }
  // Returns the smallest box that contains the boxes of all ranks. @pre some rank has a box
  Box hull() const;
  bool has_replicas() const { return mesh_.size(Axis::r) > 1; }
  bool operator==(const RankBoxes&) const = default;

 private:
  RankBoxes derived() const;
  // Returns the rule for a change, so that its table does not hold any more.
  RangeRule& rule(Dim dim) {
    DimRanges& changed = dims_[static_cast<std::size_t>(dim)];
    changed.table = nullptr;
    return changed.rule;
  }
  bool owns_nothing(const MeshCoordinates& coordinates) const;
  friend bool same_boxes(const RankBoxes& a, const RankBoxes& b);

  Mesh mesh_;
  int stage_ = 0;
  // False for owned boxes. If true, box() is empty in all dims for a rank that owns nothing.
  bool derived_ = false;
  std::array<DimRanges, dim_count> dims_;
};

// True if every rank has equal boxes in both.
// @pre a.rank_count() == b.rank_count(), for this function and the next
bool same_boxes(const RankBoxes& a, const RankBoxes& b);
// True if the ranks that hold replicas of one box in `a` also do so in `b`, and the reverse.
bool same_blocks(const RankBoxes& a, const RankBoxes& b);

}  // namespace cnnplan
