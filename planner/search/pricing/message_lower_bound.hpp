// Bounds from below what messages take, by their number, their bytes and the levels between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/platform/platform.hpp"
#include "planner/tensor/rank_boxes.hpp"

namespace cnnplan {

// Describes messages that a rank gets.
struct MessageCount {
  int messages = 0;            // on all levels
  double bytes = 0.0;          // of the messages whose level counts
  double longest_bytes = 0.0;  // no message is longer
};

// No rank waits less than this for messages from others, even if it has its ports for itself.
class MessageLowerBound {
 public:
  // Bounds transfers between `ranks` ranks.
  MessageLowerBound(const Platform& platform, int ranks);

  // Returns the least seconds in which `rank` gets its part of `destinations` from other ranks. The
  // bytes that cannot come from its group of a level come over the levels outside of this group.
  double receive_s(const RankBoxes& sources,
                   const RankBoxes& destinations,
                   int rank,
                   std::int64_t element_bytes) const {
    return receive_s(sources, destinations.box(rank), rank, element_bytes);
  }
  // Does so for the destination box `wanted` of the rank.
  double receive_s(const RankBoxes& sources,
                   const Box& wanted,
                   int rank,
                   std::int64_t element_bytes) const;
  // Returns seconds: the least latency, the least gaps, and the bytes on the links of this level
  // and all levels outside of it at once.
  double seconds(std::size_t level, const MessageCount& count) const;

 private:
  // Holds the cheapest figures of messages of at most `max_bytes`.
  struct Figures {
    double max_bytes = 0.0;
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;  // of all links together
  };
  struct LevelFigures {
    int ranks_inside = 1;          // of a group of the level inside of it
    std::vector<Figures> by_size;  // the shortest messages first
  };

  std::vector<LevelFigures> levels_;  // none if a duplex factor below 1 lets sends shorten receives
  double gap_s_ = 0.0;
};

}  // namespace cnnplan
