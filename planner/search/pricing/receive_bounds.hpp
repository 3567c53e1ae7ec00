// Bounds what ranks wait for, for all pairs of sources and destinations of an edge at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/search/pricing/message_lower_bound.hpp"
#include "planner/tensor/rank_boxes.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Returns what MessageLowerBound::receive_s returns. The pieces of a dim follow from the rule of
// the sources in this dim and from the wanted range alone. An edge has few rules and ranges in each
// dim but many pairs of boxes, so that the pieces of each rule and range are counted once.
class ReceiveBounds {
 public:
  // `wanted` has the boxes of each destination, one for each of `ranks`. Keeps references to
  // `bound`, `sources` and `wanted`.
  // @pre all sources are tabulated, with one RankBoxes::Tables
  ReceiveBounds(const MessageLowerBound& bound,
                const std::vector<RankBoxes>& sources,
                const std::vector<std::vector<Box>>& wanted,
                const std::vector<int>& ranks);

  // Returns the least seconds in which the rank with this place among the ranks gets its box of a
  // destination.
  double receive_s(std::size_t source,
                   std::size_t destination,
                   std::size_t place,
                   std::int64_t element_bytes) const;

 private:
  using Places = std::array<std::size_t, dim_count>;
  // Holds the pieces of one dim by rule and range.
  struct DimTable {
    std::vector<const DimRanges*> rules;
    std::vector<Range> ranges;
    std::vector<DimPieces> pieces;
  };
  // Says where a rank is in the mesh of a source.
  struct Position {
    bool has_box = false;
    std::array<Range, dim_count> own{};
    std::vector<std::array<Coordinates, dim_count>> inside;  // by level, without the innermost
  };

  Position position_of(const RankBoxes& source, int rank) const;
  std::int64_t most_from(std::size_t level,
                         std::size_t source,
                         const Position& position,
                         const Box& wanted,
                         const std::array<DimPieces, dim_count>& pieces) const;

  const MessageLowerBound& bound_;
  const std::vector<RankBoxes>& sources_;
  const std::vector<std::vector<Box>>& wanted_;
  std::size_t ranks_;
  std::array<DimTable, dim_count> tables_;
  std::vector<Places> rules_;        // by source
  std::vector<Places> ranges_;       // by destination and rank
  std::vector<Position> positions_;  // by source and rank
};

}  // namespace cnnplan
