// Messages by segment, transfer lists by peer and level.
#include "planner/cost/links.hpp"

#include <algorithm>
#include <vector>

#include "planner/model/peer_message.hpp"

namespace cnnplan {
namespace {

double bytes_of(const PeerMessage& message, const TransferTraits& traits) {
  return static_cast<double>(message.elements) * static_cast<double>(traits.element_bytes);
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

// What one rank sends and receives.
struct RankMessages {
  std::vector<PeerMessage> sends;
  std::vector<PeerMessage> receives;
  int rank = 0;
};

double link_time_s(const Platform& platform,
                   const RankMessages& messages,
                   const TransferTraits& traits) {
  const int rank = messages.rank;
  std::vector<LevelLoad> loads(platform.levels.size());
  const auto message_s = [&](std::size_t level, const PeerMessage& message) {
    return shared_message_time_s(platform.levels[level], bytes_of(message, traits));
  };
  for (const PeerMessage& message : messages.sends) {
    if (message.peer == rank) continue;
    const std::size_t level = level_index_between(platform, rank, message.peer);
    loads[level].send_s += message_s(level, message);
  }
  for (const PeerMessage& message : messages.receives) {
    if (message.peer == rank) continue;
    const std::size_t level = level_index_between(platform, rank, message.peer);
    loads[level].receive_s += message_s(level, message);
  }
  double time_s = 0.0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto [shorter_s, longer_s] = std::minmax(loads[i].send_s, loads[i].receive_s);
    time_s += platform.levels[i].duplex_factor * shorter_s + (longer_s - shorter_s);
  }
  return time_s;
}

double pack_time_s(const Platform& platform,
                   const RankMessages& messages,
                   const TransferTraits& traits) {
  double bytes = 0.0;
  for (const PeerMessage& message : messages.sends) {
    if (message.peer != messages.rank && message.staged) bytes += bytes_of(message, traits);
  }
  return bytes * platform.copy_s_per_byte;
}

double unpack_time_s(const Platform& platform,
                     const RankMessages& messages,
                     const TransferTraits& traits) {
  double bytes = 0.0;
  for (const PeerMessage& message : messages.receives) {
    const bool copied = traits.accumulate || message.peer == messages.rank || message.staged;
    if (copied) bytes += bytes_of(message, traits);
  }
  return bytes * (traits.accumulate ? platform.gamma_s_per_byte : platform.copy_s_per_byte);
}

}  // namespace

double message_time_s(const Platform& platform, int from, int to, double bytes) {
  if (from == to) return platform.copy_s_per_byte * bytes;
  return segment_time_s(level_between(platform, from, to).segments, bytes);
}

TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits) {
  const RankMessages messages{.sends = messages_of(list.sends, traits.source_box),
                              .receives = messages_of(list.receives, traits.destination_box),
                              .rank = rank};
  TransferTime time{.link_s = link_time_s(platform, messages, traits),
                    .pack_s = pack_time_s(platform, messages, traits),
                    .unpack_s = unpack_time_s(platform, messages, traits)};
  if (traits.zero_first) {
    const PeerMessage cleared{.elements = volume(traits.destination_box)};
    time.pack_s += platform.copy_s_per_byte * bytes_of(cleared, traits);
  }
  return time;
}

}  // namespace cnnplan
