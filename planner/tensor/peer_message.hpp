// Joins the pieces of a transfer for one peer into one message, which may need memory of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/base/checked.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// True if `inner` is one run of memory in a dense channels-last buffer that holds `outer`.
// @pre `inner` is not empty and lies in `outer`
bool is_contiguous(const Box& inner, const Box& outer);

// Describes the message with all pieces that go one way between a rank and a peer.
struct PeerMessage {
  int peer = 0;               // a rank
  std::int64_t elements = 0;  // of all pieces together
  // True if the pieces are packed into staging memory, or unpacked from it. A single contiguous
  // piece is sent or received in its place.
  bool staged = false;
  bool operator==(const PeerMessage&) const = default;
};

// Calls visit(message) for each message that messages_of lists, in that order. The arguments and
// the precondition are the ones of messages_of.
template <typename Visit>
void for_each_message(std::span<const Piece> pieces, const Box& buffer_box, const Visit& visit) {
  const bool no_buffer = is_empty(buffer_box);
  PeerMessage message;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (!is_empty(piece.box)) {
      const bool is_first = message.elements == 0;
      message.peer = piece.peer;
      message.elements = checked_add(message.elements, volume(piece.box));
      message.staged = !is_first || no_buffer || !is_contiguous(piece.box, buffer_box);
    }
    const bool is_last = i + 1 == pieces.size() || pieces[i + 1].peer != piece.peer;
    if (!is_last || message.elements == 0) continue;
    visit(message);
    message = {};
  }
}

// Lists one message for each peer that has a piece which is not empty. The peer may be the rank
// itself. The dense channels-last buffer of the pieces holds `buffer_box`. Where there is no
// buffer, `buffer_box` is empty, and every message is staged.
// @pre the pieces of a peer are adjacent, as in a TransferList
std::vector<PeerMessage> messages_of(std::span<const Piece> pieces, const Box& buffer_box);

}  // namespace cnnplan
