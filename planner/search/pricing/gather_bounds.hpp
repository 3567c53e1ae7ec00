// Bounds what ranks wait for in gathers node by node, for all pairs of an edge at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/search/pricing/gather_choice.hpp"
#include "planner/search/pricing/receive_bounds.hpp"

namespace cnnplan {

// Holds the blocks of all sources and destinations of an edge.
struct GatherBlocks {
  const std::vector<RankBoxes>& sources;
  const std::vector<std::vector<NodeParts>>& methods;  // by destination
  const std::vector<std::vector<Box>>& wanted;         // by destination and rank
};

// Knows the least time of both transfers. The second one, inside of nodes, does not depend on the
// source.
class GatherBounds {
 public:
  // Keeps references to the bound and the sources. @pre as ReceiveBounds
  GatherBounds(const MessageLowerBound& bound,
               const GatherBlocks& blocks,
               const std::vector<int>& ranks,
               std::int64_t element_bytes);
  GatherBounds(const GatherBounds&) = delete;
  GatherBounds& operator=(const GatherBounds&) = delete;
  GatherBounds(GatherBounds&&) = delete;
  GatherBounds& operator=(GatherBounds&&) = delete;
  ~GatherBounds() = default;

  // Returns the least seconds in which the rank with this place among the ranks gets its box by any
  // method of the destination. It is infinity where the destination has no method.
  double receive_s(std::size_t source, std::size_t destination, std::size_t place) const;

 private:
  std::int64_t element_bytes_;
  std::vector<std::size_t> first_;                   // by destination, the first of its methods
  std::vector<std::vector<Box>> parts_;              // by method of all destinations and by rank
  std::vector<std::vector<double>> inside_nodes_s_;  // of the second transfer, as parts_
  ReceiveBounds into_parts_;
};

}  // namespace cnnplan
