// Messages by peer, contiguity by dims.
#include "planner/model/peer_message.hpp"

#include <array>

#include "planner/model/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::array<Dim, dim_count> outermost_first{Dim::n, Dim::d, Dim::h, Dim::w, Dim::c};

}  // namespace

bool is_contiguous(const Box& inner, const Box& outer) {
  bool single_so_far = true;
  for (Dim dim : outermost_first) {
    const bool complete = inner[dim].size() == outer[dim].size();
    if (!single_so_far && !complete) return false;
    single_so_far = single_so_far && inner[dim].size() == 1;
  }
  return true;
}

std::vector<PeerMessage> messages_of(std::span<const Piece> pieces, const Box& buffer_box) {
  std::vector<PeerMessage> messages;
  messages.reserve(pieces.size());
  for (const Piece& piece : pieces) {
    if (is_empty(piece.box)) continue;
    const bool is_first = messages.empty() || messages.back().peer != piece.peer;
    if (is_first) messages.push_back({.peer = piece.peer});
    PeerMessage& message = messages.back();
    message.elements = checked_add(message.elements, volume(piece.box));
    message.staged = !is_first || is_empty(buffer_box) || !is_contiguous(piece.box, buffer_box);
  }
  return messages;
}

}  // namespace cnnplan
