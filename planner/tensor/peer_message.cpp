// Decides which blocks are contiguous, and collects messages.
#include "planner/tensor/peer_message.hpp"

#include <array>

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
  for_each_message(
      pieces, buffer_box, [&](const PeerMessage& message) { messages.push_back(message); });
  return messages;
}

}  // namespace cnnplan
