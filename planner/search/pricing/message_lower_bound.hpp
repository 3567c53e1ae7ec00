// Bounds from below what messages take, by their number, their bytes and the levels between ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "planner/platform/platform.hpp"
#include "planner/tensor/rank_boxes.hpp"
#include "planner/tensor/transfer.hpp"

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
  // Does so where the pieces are counted. `most_from(level)` returns an upper bound of the elements
  // that come from the rank's group inside of this level, 1 <= level < level_count().
  template <typename MostFrom>
  double receive_s(const ReceivedPieces& pieces,
                   std::int64_t element_bytes,
                   const MostFrom& most_from) const;
  // Returns the number of levels that count.
  std::size_t level_count() const { return levels_.size(); }
  // Returns the first and the last rank of a rank's group inside of this level.
  // @pre 1 <= level < level_count()
  std::pair<int, int> group_inside(std::size_t level, int rank, int ranks) const;
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

template <typename MostFrom>
double MessageLowerBound::receive_s(const ReceivedPieces& pieces,
                                    std::int64_t element_bytes,
                                    const MostFrom& most_from) const {
  if (levels_.empty() || pieces.senders == 0) return 0.0;
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<double>(elements) * static_cast<double>(element_bytes);
  };
  MessageCount count{.messages = pieces.senders,
                     .bytes = bytes_of(pieces.elements),
                     .longest_bytes = bytes_of(pieces.longest)};
  double most_s = seconds(0, count);
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    const std::int64_t outside = pieces.elements + pieces.own - most_from(level);
    if (outside <= 0) break;
    count.bytes = bytes_of(outside);
    most_s = std::max(most_s, seconds(level, count));
  }
  return most_s;
}

}  // namespace cnnplan
