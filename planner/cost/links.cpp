// Adds up the messages of a rank by level and direction.
#include "planner/cost/links.hpp"

#include <algorithm>
#include <span>

#include <boost/container/small_vector.hpp>

#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

double bytes_s(const Segment& segment, double bytes) {
  return segment.beta_s_per_byte * bytes;
}

// Adds up the messages of one rank in one direction, and the messages that share their ports.
class DirectionLoad {
 public:
  explicit DirectionLoad(std::size_t levels) : levels_(levels) {}

  void add(const Level& level, std::size_t index, double bytes) {
    LevelLoad& load = levels_[index];
    const Segment& segment = segment_of(level.segments, bytes);
    const double message_s = bytes_s(segment, bytes);
    load.latency_s = std::max(load.latency_s, segment.alpha_s);
    load.longest_s = std::max(load.longest_s, message_s);
    load.own_s += message_s;
    if (!is_first_) gaps_s_ += level.gap_s;
    is_first_ = false;
  }
  // Adds a message of another rank. @pre all messages of this rank were added
  void share(const Level& level, std::size_t index, double bytes) {
    levels_[index].others_s +=
        std::min(levels_[index].longest_s, bytes_s(segment_of(level.segments, bytes), bytes));
  }
  // Assumes that each other rank at the port has equal messages.
  void share_with_equal(const Level& level, std::size_t index) {
    levels_[index].others_s = levels_[index].own_s * (level.shared_by - 1);
  }
  bool has(std::size_t level) const { return levels_[level].longest_s > 0.0; }
  // Returns the time of the messages of one level.
  double seconds(std::size_t level) const {
    const LevelLoad& load = levels_[level];
    const double alone_s = load.latency_s + load.own_s;
    return alone_s > 0.0 ? alone_s + std::max(gaps_s_, load.others_s) : 0.0;
  }

 private:
  struct LevelLoad {
    double latency_s = 0.0;  // the longest latency, because latencies overlap
    double longest_s = 0.0;  // the longest message of the rank, alone at the port
    double own_s = 0.0;      // all messages of the rank
    double others_s = 0.0;   // messages of other ranks until the longest message ends
  };
  static constexpr std::size_t usual_levels = 4;

  boost::container::small_vector<LevelLoad, usual_levels> levels_;
  double gaps_s_ = 0.0;
  bool is_first_ = true;
};

// Adds up the messages of one rank.
class RankLoad {
 public:
  RankLoad(const Platform& platform, int rank, std::int64_t element_bytes)
      : platform_(platform),
        rank_(rank),
        element_bytes_(static_cast<double>(element_bytes)),
        sends_(platform.levels.size()),
        receives_(platform.levels.size()) {}

  void send(const PeerMessage& message) {
    if (message.peer == rank_) return;
    const double bytes = bytes_of(message);
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    sends_.add(platform_.levels[level], level, bytes);
    if (message.staged) packed_bytes_ += bytes;
  }

  void receive(const PeerMessage& message, bool accumulate) {
    const double bytes = bytes_of(message);
    if (accumulate || message.peer == rank_ || message.staged) unpacked_bytes_ += bytes;
    if (message.peer == rank_) return;
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    receives_.add(platform_.levels[level], level, bytes);
  }

  // Adds the messages of the ranks that share a port with this rank.
  // @pre all messages of this rank were added
  void share_ports(const ListOf& list_of) {
    for (std::size_t i = 0; i < platform_.levels.size(); ++i) {
      if (platform_.levels[i].shared_by > 1 && (sends_.has(i) || receives_.has(i))) {
        share_port(i, list_of);
      }
    }
  }

  double link_s() const {
    double most_s = 0.0;
    for (std::size_t i = 0; i < platform_.levels.size(); ++i) {
      const double send_s = sends_.seconds(i);
      const double receive_s = receives_.seconds(i);
      const auto [shorter_s, longer_s] = std::minmax(send_s, receive_s);
      const double level_s = platform_.levels[i].duplex_factor * shorter_s + (longer_s - shorter_s);
      most_s = std::max(most_s, level_s);
    }
    return most_s;
  }
  double packed_bytes() const { return packed_bytes_; }
  double unpacked_bytes() const { return unpacked_bytes_; }

 private:
  double bytes_of(const PeerMessage& message) const {
    return static_cast<double>(message.elements) * element_bytes_;
  }

  void share_port(std::size_t level, const ListOf& list_of) {
    if (!list_of) {
      sends_.share_with_equal(platform_.levels[level], level);
      receives_.share_with_equal(platform_.levels[level], level);
      return;
    }
    const int port = port_of(platform_, level, rank_);
    const int others = platform_.levels[level].shared_by - 1;
    for (int other = std::max(0, rank_ - others); other <= rank_ + others; ++other) {
      if (other == rank_ || port_of(platform_, level, other) != port) continue;
      const TransferList list = list_of(other);
      share_port(level, other, list.sends, sends_);
      share_port(level, other, list.receives, receives_);
    }
  }

  void share_port(std::size_t level,
                  int other,
                  std::span<const Piece> pieces,
                  DirectionLoad& direction) const {
    for_each_message(pieces, {}, [&](const PeerMessage& message) {
      if (message.peer == other) return;
      if (level_index_between(platform_, other, message.peer) != level) return;
      direction.share(platform_.levels[level], level, bytes_of(message));
    });
  }

  const Platform& platform_;
  int rank_;
  double element_bytes_;
  DirectionLoad sends_;
  DirectionLoad receives_;
  double packed_bytes_ = 0.0;
  double unpacked_bytes_ = 0.0;
};

}  // namespace

double message_time_s(const Platform& platform, int from, int to, double bytes) {
  if (from == to) return platform.copy_s_per_byte * bytes;
  return segment_time_s(level_between(platform, from, to).segments, bytes);
}

ListOf lists_of(const BlockOwnership& sources, const BlockOwnership& destinations) {
  return [&sources, &destinations](int rank) {
    return rank < sources.rank_count() ? transfer_list(sources, destinations, rank)
                                       : TransferList{};
  };
}

TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits,
                           const ListOf& list_of) {
  RankLoad load(platform, rank, traits.element_bytes);
  for_each_message(
      list.sends, traits.source_box, [&](const PeerMessage& message) { load.send(message); });
  for_each_message(list.receives, traits.destination_box, [&](const PeerMessage& message) {
    load.receive(message, traits.accumulate);
  });
  load.share_ports(list_of);
  const double unpack_s_per_byte =
      traits.accumulate ? platform.gamma_s_per_byte : platform.copy_s_per_byte;
  TransferTime time{.link_s = load.link_s(),
                    .pack_s = load.packed_bytes() * platform.copy_s_per_byte,
                    .unpack_s = load.unpacked_bytes() * unpack_s_per_byte};
  if (traits.zero_first) {
    time.pack_s += platform.copy_s_per_byte * static_cast<double>(volume(traits.destination_box)) *
                   static_cast<double>(traits.element_bytes);
  }
  return time;
}

}  // namespace cnnplan
