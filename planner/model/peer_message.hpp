// Which pieces of a transfer go in one message, and which messages need memory of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/model/transfer.hpp"

namespace cnnplan {

// True when `inner` is one run of memory in a dense channels-last buffer that holds `outer`.
bool is_contiguous(const Box& inner, const Box& outer);

// All pieces between a rank and one peer.
struct PeerMessage {
  int peer = 0;
  std::int64_t elements = 0;
  bool staged = false;  // packed or unpacked; a single contiguous piece is sent in place
  bool operator==(const PeerMessage&) const = default;
};

// By peer, the rank itself included where it is one; `buffer_box` is held by the dense
// channels-last buffer of the pieces. @pre pieces are ordered by peer, as in a TransferList
std::vector<PeerMessage> messages_of(std::span<const Piece> pieces, const Box& buffer_box);

}  // namespace cnnplan
