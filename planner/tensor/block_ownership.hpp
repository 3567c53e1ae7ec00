// Which block of a tensor every rank holds or wants, as a rule instead of a list: a plan for 65,536
// ranks takes no more memory than one for two.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/tensor/distribution.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Half-open range of coordinates along an axis of a mesh.
struct Coordinates {
  int begin = 0;
  int end = 0;
};

// A box by rank. Ranks at another coordinate along l than the stage have nothing. In every dim, the
// range depends on the coordinate along the axis that splits it only, and its ends do not fall as
// that coordinate grows, but where parts are taken in turn.
class BlockOwnership {
 public:
  // What the ranks own.
  explicit BlockOwnership(const Distribution& distribution);

  // What windows over these blocks need of an input of the spatial extents of `input`. Nothing
  // where the block is empty.
  BlockOwnership under(const Window& window, const Shape& input) const;
  // The same of a transposed convolution, in which windows over these blocks make the input.
  BlockOwnership over(const Window& window, const Shape& input) const;
  // What these blocks of an upsampling need of an input of the spatial extents of `input`, by
  // spatial dim. Nothing where the block is empty.
  BlockOwnership upsampled(const std::array<UpsampleDim, 3>& dims, const Shape& input) const;
  // With what `groups` groups of channels take of an input of `count` channels: all groups that
  // these blocks have a part of, whole.
  BlockOwnership with_channels(std::int64_t count, std::int64_t groups) const;
  // With `count` channels instead, cut into `parts` blocks that the coordinates along c take in
  // turn. Nothing where the block of another dim or the new one is empty. @pre `parts` divides the
  // number of coordinates, and is at most `count` where it is another
  BlockOwnership with_channel_blocks(std::int64_t count, int parts) const;
  // With `count` channels instead, cut into as many blocks as there are coordinates along c; these
  // have, `together` in a row, all of theirs. @pre `together` divides their number, which is at
  // most `count` where they take other parts in turn
  BlockOwnership with_joined_channels(std::int64_t count, int together) const;
  // The part with channels [first, first + count), which become channels [0, count); `first` may be
  // below 0.
  BlockOwnership channels(std::int64_t first, std::int64_t count) const;
  class Tables;
  // The same with its ranges looked up instead of computed, for many questions. Equal ranges of all
  // that were tabulated in `tables` have one table, as long as the mesh's axis.
  BlockOwnership tabulated(Tables& tables) const;

  const Mesh& mesh() const { return mesh_; }
  // The coordinate along l that has the tensor.
  int stage() const { return stage_; }
  int rank_count() const { return mesh_.rank_count(); }
  // @pre 0 <= rank < rank_count()
  Box box(int rank) const;
  // Ranks with equal numbers hold replicas of one block.
  int block(int rank) const;
  // Range of `dim` of the ranks at a coordinate along its axis, where they have a block.
  // @pre 0 <= coordinate < mesh().size(the axis)
  Range range(Dim dim, int coordinate) const {
    return range(static_cast<std::size_t>(dim), coordinate);
  }
  // Which coordinates along the axis of `dim` may have a range that meets `wanted`: all that do,
  // and of others, unless parts are taken in turn, only empty ones between them.
  Coordinates meeting(Dim dim, Range wanted) const;
  // The least box with the blocks of all ranks. @pre some rank has one
  Box hull() const;
  // How many coordinates have a range that meets `wanted`.
  int count_meeting(Dim dim, Range wanted) const;
  bool has_replicas() const { return mesh_.size(Axis::r) > 1; }
  bool operator==(const BlockOwnership& other) const {
    return mesh_ == other.mesh_ && stage_ == other.stage_ && rules_ == other.rules_ &&
           derived_ == other.derived_;
  }

 private:
  // Cut into parts, which need an input through a window, transposed or not, upsampled, in whole
  // groups, or several together; of that, a section.
  struct Rule {
    std::int64_t length = 1;
    int parts = 1;
    int in_turn = 0;   // where not 0, cut into so many instead
    int together = 1;  // so many coordinates in a row have all that they would of `input_length`
    bool windowed = false;
    bool transposed = false;  // where windowed
    bool grouped = false;
    bool cut = false;
    UpsampleDim upsample{};
    std::int64_t groups = 1;
    WindowDim window{};
    std::int64_t input_length = 0;
    Range section{};

    int cut_into() const { return in_turn > 0 ? in_turn : parts; }
    bool ascends() const { return in_turn == 0 || together > 1; }
    Range owned(int coordinate) const;
    Range at(int coordinate) const;
    auto operator<=>(const Rule&) const = default;
  };
  using Table = std::shared_ptr<const std::vector<Range>>;  // by coordinate

  Rule& rule(Dim dim) { return rules_[static_cast<std::size_t>(dim)]; }
  Range range(std::size_t dim, int coordinate) const {
    const auto& table = tables_[dim];
    return table ? (*table)[static_cast<std::size_t>(coordinate)] : rules_[dim].at(coordinate);
  }
  BlockOwnership derived() const;
  bool owns_nothing(const MeshCoordinates& coordinates) const;
  int filled_parts(std::size_t dim) const;
  bool has_empty_parts() const;
  bool same_ranks_own(const BlockOwnership& other) const;
  bool same_parts(const BlockOwnership& other) const;
  friend bool same_boxes(const BlockOwnership& a, const BlockOwnership& b);

  Mesh mesh_;
  int stage_ = 0;
  std::array<Rule, dim_count> rules_;
  bool derived_ = false;                   // empty blocks have no indices at all
  std::array<Table, dim_count> tables_{};  // by dim, where tabulated
};

class BlockOwnership::Tables {
 private:
  friend BlockOwnership;
  const Table& of(const Rule& rule);

  std::map<Rule, Table> tables_;
};

// True when every rank has the same box in both.
bool same_boxes(const BlockOwnership& a, const BlockOwnership& b);
// True when the same ranks hold replicas of each other.
bool same_blocks(const BlockOwnership& a, const BlockOwnership& b);

}  // namespace cnnplan
