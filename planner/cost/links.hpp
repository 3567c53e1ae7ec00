// Computes the time of one message, and of one rank's part of a transfer list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "planner/platform/platform.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Returns the time of one message between two ranks that have the link to themselves. If `from` is
// `to`, it is a local copy.
double message_time_s(const Platform& platform, int from, int to, double bytes);

// Holds what the time of a transfer depends on besides its list of pieces.
struct TransferTraits {
  std::int64_t element_bytes = 4;
  Box source_box;  // of the dense channels-last buffer that sends; empty: all pieces are packed
  Box destination_box;      // of the buffer that receives; empty: all pieces are unpacked
  bool accumulate = false;  // received elements are added
  bool zero_first = false;  // the destination is cleared before
};

// Holds the parts of the time of a transfer, which follow each other.
struct TransferTime {
  double link_s = 0.0;    // the messages
  double pack_s = 0.0;    // before the messages: clearing, packing
  double unpack_s = 0.0;  // after them: unpacking, adding, pieces that stay on the rank
  double copy_s() const { return pack_s + unpack_s; }
  double total_s() const { return link_s + copy_s(); }
};

// Returns the list of another rank in a transfer, or an empty list if this rank does not exist.
using ListOf = std::function<TransferList(int rank)>;
// Returns a function that computes transfer_list(sources, destinations, rank, ranks_per_node). The
// arguments must outlive it.
ListOf lists_of(const RankBoxes& sources, const RankBoxes& destinations, int ranks_per_node = 1);

// Describes a message on a level between two ranks.
struct LevelMessage {
  std::size_t level = 0;
  double bytes = 0.0;
};

// Holds the messages of one direction.
struct DirectionTraffic {
  std::vector<LevelMessage> own;     // of the rank
  std::vector<LevelMessage> others;  // of ranks that share its ports
};

// Holds what one rank moves in a transfer. The times of the platform do not count here, so that
// platforms which differ in times only have equal traffic.
struct TransferTraffic {
  DirectionTraffic sends;
  DirectionTraffic receives;
  bool others_are_equal = false;  // `others` are not listed, and have messages as the rank has
  bool accumulate = false;        // what is unpacked is added
  double packed_bytes = 0.0;
  double unpacked_bytes = 0.0;
  double cleared_bytes = 0.0;
};

// Returns the traffic of a rank's part of a transfer. The arguments are those of transfer_time.
TransferTraffic transfer_traffic(const Platform& platform,
                                 const TransferList& list,
                                 int rank,
                                 const TransferTraits& traits,
                                 const ListOf& list_of = {});

// Returns the time of one rank's part of a transfer whose peers are all ready. There is one message
// per peer, with all of its pieces:
//
// - The messages j of one level and direction take max_j alpha_j + sum_j beta_j v_j.
// - Each message of a direction, except the first, adds a gap.
// - A port that ranks share (port_of) gives each message a fair share. The longest message of this
//   rank would take m = max_j beta_j v_j seconds alone. Until it ends, the messages k of other
//   ranks take sum_k min(m, beta_k v_k). The gaps pass at the same time, and only the longer of the
//   two sums counts. Without `list_of`, the other ranks are assumed to have equal messages.
// - All levels run at once, so the slowest one counts. Sends and receives run at once, too: while
//   both do, their messages take the times of exchanges (both_ways_s).
// - A message is packed or unpacked if it has several pieces, or a piece that is not contiguous in
//   its buffer. Accumulated bytes cost gamma.
TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits,
                           const ListOf& list_of = {});
// Returns the time of traffic.
// @pre the traffic is of this platform, or of one that differs from it in times only
TransferTime transfer_time(const Platform& platform, const TransferTraffic& traffic);

}  // namespace cnnplan
