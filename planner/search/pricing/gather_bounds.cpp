// Bounds the transfer into the parts of nodes by ReceiveBounds, and adds the one inside of nodes.
#include "planner/search/pricing/gather_bounds.hpp"

#include <algorithm>
#include <limits>

namespace cnnplan {
namespace {

// Returns the boxes of the parts, by method of all destinations and by rank.
std::vector<std::vector<Box>> boxes_of(const std::vector<std::vector<NodeParts>>& methods,
                                       const std::vector<int>& ranks) {
  std::vector<std::vector<Box>> boxes;
  for (const std::vector<NodeParts>& own : methods) {
    for (const NodeParts& method : own) {
      std::vector<Box>& parts = boxes.emplace_back();
      for (const int rank : ranks) parts.push_back(method.parts.box(rank));
    }
  }
  return boxes;
}

}  // namespace

GatherBounds::GatherBounds(const MessageLowerBound& bound,
                           const GatherBlocks& blocks,
                           const std::vector<int>& ranks,
                           std::int64_t element_bytes)
    : element_bytes_(element_bytes),
      first_{0},
      parts_(boxes_of(blocks.methods, ranks)),
      into_parts_(bound, blocks.sources, parts_, ranks) {
  for (std::size_t destination = 0; destination < blocks.methods.size(); ++destination) {
    for (const NodeParts& method : blocks.methods[destination]) {
      std::vector<double>& seconds = inside_nodes_s_.emplace_back();
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Box& wanted = blocks.wanted[destination][i];
        seconds.push_back(bound.receive_s(method.parts, wanted, ranks[i], element_bytes));
      }
    }
    first_.push_back(inside_nodes_s_.size());
  }
}

double GatherBounds::receive_s(std::size_t source,
                               std::size_t destination,
                               std::size_t place) const {
  double least_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = first_[destination]; i < first_[destination + 1]; ++i) {
    const double into_parts_s = into_parts_.receive_s(source, i, place, element_bytes_);
    least_s = std::min(least_s, into_parts_s + inside_nodes_s_[i][place]);
  }
  return least_s;
}

}  // namespace cnnplan
