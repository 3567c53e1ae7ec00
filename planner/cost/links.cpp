// Messages by segment, transfer lists by peer and level.
#include "planner/cost/links.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>

namespace cnnplan {
namespace {

constexpr std::array<Dim, dim_count> outermost_first{Dim::n, Dim::d, Dim::h, Dim::w, Dim::c};

// True when `inner` is one run of memory in a dense channels-last buffer that holds `outer`.
bool is_contiguous(const Box& inner, const Box& outer) {
  bool single_so_far = true;
  for (Dim dim : outermost_first) {
    const bool complete = inner[dim].size() == outer[dim].size();
    if (!single_so_far && !complete) return false;
    single_so_far = single_so_far && inner[dim].size() == 1;
  }
  return true;
}

// All pieces between this rank and one peer.
struct PeerMessage {
  int peer = 0;
  double bytes = 0.0;
  bool staged = false;  // packed or unpacked; a single contiguous piece is sent in place
};
using PeerMessages = std::vector<PeerMessage>;

double bytes_of(const Box& box, const TransferTraits& traits) {
  return static_cast<double>(volume(box)) * static_cast<double>(traits.element_bytes);
}

// By peer, this rank itself included. @pre pieces are ordered by peer, as in a TransferList
PeerMessages messages_of(std::span<const Piece> pieces,
                         const Box& buffer_box,
                         const TransferTraits& traits) {
  PeerMessages messages;
  for (const Piece& piece : pieces) {
    if (is_empty(piece.box)) continue;
    const bool is_first = messages.empty() || messages.back().peer != piece.peer;
    if (is_first) messages.push_back({.peer = piece.peer});
    messages.back().bytes += bytes_of(piece.box, traits);
    messages.back().staged =
        !is_first || is_empty(buffer_box) || !is_contiguous(piece.box, buffer_box);
  }
  return messages;
}

// Both directions of one level.
struct LevelLoad {
  double send_s = 0.0;
  double receive_s = 0.0;
};

double shared_message_time_s(const Level& level, double bytes) {
  const Segment& segment = segment_of(level.segments, bytes);
  return segment.alpha_s + segment.beta_s_per_byte * level.shared_by * bytes;
}

double link_time_s(const Platform& platform,
                   const PeerMessages& sends,
                   const PeerMessages& receives,
                   int rank) {
  std::map<const Level*, LevelLoad> loads;
  for (const PeerMessage& message : sends) {
    if (message.peer == rank) continue;
    const Level& level = level_between(platform, rank, message.peer);
    loads[&level].send_s += shared_message_time_s(level, message.bytes);
  }
  for (const PeerMessage& message : receives) {
    if (message.peer == rank) continue;
    const Level& level = level_between(platform, rank, message.peer);
    loads[&level].receive_s += shared_message_time_s(level, message.bytes);
  }
  double time_s = 0.0;
  for (const auto& [level, load] : loads) {
    const auto [shorter_s, longer_s] = std::minmax(load.send_s, load.receive_s);
    time_s += level->duplex_factor * shorter_s + (longer_s - shorter_s);
  }
  return time_s;
}

double pack_time_s(const Platform& platform, const PeerMessages& sends, int rank) {
  double bytes = 0.0;
  for (const PeerMessage& message : sends) {
    if (message.peer != rank && message.staged) bytes += message.bytes;
  }
  return bytes * platform.copy_s_per_byte;
}

double unpack_time_s(const Platform& platform,
                     const PeerMessages& receives,
                     int rank,
                     bool accumulate) {
  double bytes = 0.0;
  for (const PeerMessage& message : receives) {
    if (accumulate || message.peer == rank || message.staged) bytes += message.bytes;
  }
  return bytes * (accumulate ? platform.gamma_s_per_byte : platform.copy_s_per_byte);
}

}  // namespace

const Segment& segment_of(const std::vector<Segment>& segments, double bytes) {
  if (segments.empty()) throw std::logic_error("a link without segments");
  const auto found = std::find_if(segments.begin(), segments.end(), [bytes](const Segment& s) {
    return bytes <= static_cast<double>(s.max_bytes);
  });
  return found == segments.end() ? segments.back() : *found;
}

double message_time_s(const Platform& platform, int from, int to, double bytes) {
  if (from == to) return platform.copy_s_per_byte * bytes;
  const Segment& segment = segment_of(level_between(platform, from, to).segments, bytes);
  return segment.alpha_s + segment.beta_s_per_byte * bytes;
}

TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits) {
  const PeerMessages sends = messages_of(list.sends, traits.source_box, traits);
  const PeerMessages receives = messages_of(list.receives, traits.destination_box, traits);
  TransferTime time{.link_s = link_time_s(platform, sends, receives, rank),
                    .copy_s = pack_time_s(platform, sends, rank) +
                              unpack_time_s(platform, receives, rank, traits.accumulate)};
  if (traits.zero_first) {
    time.copy_s += platform.copy_s_per_byte * bytes_of(traits.destination_box, traits);
  }
  return time;
}

}  // namespace cnnplan
