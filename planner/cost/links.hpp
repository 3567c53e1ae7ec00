// Time of messages between ranks: one message, and one rank's part of a transfer list.
#pragma once

#include <cstdint>
#include <functional>

#include "planner/platform/platform.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// One message between two ranks that have the link for themselves; a local copy when they are the
// same rank.
double message_time_s(const Platform& platform, int from, int to, double bytes);

// What the executor knows of a transfer beyond its list.
struct TransferTraits {
  std::int64_t element_bytes = 4;
  Box source_box;       // held by the dense channels-last buffer; empty: every piece is packed
  Box destination_box;  // likewise: empty: every piece is unpacked
  bool accumulate = false;
  bool zero_first = false;
};

struct TransferTime {
  double link_s = 0.0;    // messages
  double pack_s = 0.0;    // before the messages: clearing, packing
  double unpack_s = 0.0;  // after them: unpacking, adding, pieces that stay on the rank
  double copy_s() const { return pack_s + unpack_s; }
  double total_s() const { return link_s + copy_s(); }
};

// The list of another rank in the same transfer, nothing for a rank that there is not.
using ListOf = std::function<TransferList(int rank)>;
// Keeps references.
ListOf lists_of(const BlockOwnership& sources, const BlockOwnership& destinations);

// One rank's part of a transfer whose peers are all ready. Per peer one message of all its pieces.
// Those of one level and direction take max_j alpha_ij + sum_j beta_ij v_ij, and a gap for each
// message of that direction but the first. Where ranks share a port (port_of), it gives their
// messages fair shares: until the longest of this rank is over, of m = max_j beta_ij v_ij seconds
// alone, the others k have taken sum_k min(m, beta_k v_k), meanwhile the gaps go on: the longer of
// both counts. Without `list_of` the others are taken to have the same messages. Levels run at
// once, and so do sends and receives, the shorter of both slowed by the duplex factor. A message of
// several pieces, or of one that is not contiguous in its buffer, is packed or unpacked; what is
// accumulated costs gamma.
TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits,
                           const ListOf& list_of = {});

}  // namespace cnnplan
