// Adds up the messages of a rank by level and direction.
#include "planner/cost/links.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "planner/platform/exchange_times.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

double bytes_s(const Segment& segment, double bytes) {
  return segment.beta_s_per_byte * bytes;
}

// Adds up the messages of one direction on a level.
class LevelLoad {
 public:
  void add(const Segment& segment, double bytes) {
    const double message_s = bytes_s(segment, bytes);
    latency_s_ = std::max(latency_s_, segment.alpha_s);
    longest_s_ = std::max(longest_s_, message_s);
    own_s_ += message_s;
  }
  // Adds a message of another rank. @pre all messages of this rank were added
  void share(const Segment& segment, double bytes) {
    others_s_ += std::min(longest_s_, bytes_s(segment, bytes));
  }
  void share_equal(int others) { others_s_ = own_s_ * others; }

  // Returns the time of all messages. The rank waits for gaps of `gaps_s` between its own ones.
  double seconds(double gaps_s) const {
    const double alone_s = latency_s_ + own_s_;
    return alone_s > 0.0 ? alone_s + std::max(gaps_s, others_s_) : 0.0;
  }

 private:
  double latency_s_ = 0.0;  // the longest latency, because latencies overlap
  double longest_s_ = 0.0;  // the longest message of the rank, alone at the port
  double own_s_ = 0.0;      // all messages of the rank
  double others_s_ = 0.0;   // messages of other ranks until the longest message ends
};

// Adds up the messages of one rank in one direction, and the messages that share their ports.
class DirectionLoad {
 public:
  DirectionLoad(const Platform& platform, const DirectionTraffic& traffic, bool others_are_equal)
      : levels_(platform.levels.size()) {
    for (const LevelMessage& message : traffic.own) {
      const Level& level = platform.levels[message.level];
      if (&message != &traffic.own.front()) gaps_s_ += level.gap_s;
      update(level, message, &LevelLoad::add);
    }
    for (const LevelMessage& message : traffic.others) {
      update(platform.levels[message.level], message, &LevelLoad::share);
    }
    if (!others_are_equal) return;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const int others = platform.levels[i].shared_by - 1;
      if (others <= 0) continue;
      levels_[i].alone.share_equal(others);
      levels_[i].exchanged.share_equal(others);
    }
  }

  // Returns the time of the messages on the level with this index.
  DirectionTime time(const Level& level, std::size_t index) const {
    const double alone_s = levels_[index].alone.seconds(gaps_s_);
    const double exchanged_s = level.exchange_segments.empty()
                                   ? exchange_times(level).factor * alone_s
                                   : levels_[index].exchanged.seconds(gaps_s_);
    return {.alone_s = alone_s, .exchanged_s = exchanged_s};
  }

 private:
  struct Loads {
    LevelLoad alone;
    LevelLoad exchanged;  // only of levels whose exchanges were measured
  };
  static constexpr std::size_t usual_levels = 4;

  void update(const Level& level,
              const LevelMessage& message,
              void (LevelLoad::*change)(const Segment&, double)) {
    Loads& loads = levels_[message.level];
    (loads.alone.*change)(segment_of(level.segments, message.bytes), message.bytes);
    if (level.exchange_segments.empty()) return;
    (loads.exchanged.*change)(segment_of(level.exchange_segments, message.bytes), message.bytes);
  }

  boost::container::small_vector<Loads, usual_levels> levels_;
  double gaps_s_ = 0.0;
};

// All levels run at once, and so do sends and receives.
double link_s(const Platform& platform, const TransferTraffic& traffic) {
  const DirectionLoad sends(platform, traffic.sends, traffic.others_are_equal);
  const DirectionLoad receives(platform, traffic.receives, traffic.others_are_equal);
  double most_s = 0.0;
  for (std::size_t i = 0; i < platform.levels.size(); ++i) {
    const Level& level = platform.levels[i];
    most_s = std::max(most_s, both_ways_s(level, sends.time(level, i), receives.time(level, i)));
  }
  return most_s;
}

bool has_message(const DirectionTraffic& direction, std::size_t level) {
  return std::any_of(direction.own.begin(), direction.own.end(), [level](const auto& message) {
    return message.level == level;
  });
}

// Lists the messages of one rank, and those of the ranks that share its ports.
class TrafficFinder {
 public:
  TrafficFinder(const Platform& platform,
                const TransferList& list,
                int rank,
                std::int64_t element_bytes)
      : platform_(platform), rank_(rank), element_bytes_(static_cast<double>(element_bytes)) {
    traffic_.sends.own.reserve(list.sends.size());
    traffic_.receives.own.reserve(list.receives.size());
  }

  void send(const PeerMessage& message) {
    if (message.peer == rank_) return;
    const double bytes = bytes_of(message);
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    traffic_.sends.own.push_back({.level = level, .bytes = bytes});
    if (message.staged) traffic_.packed_bytes += bytes;
  }

  void receive(const PeerMessage& message, bool accumulate) {
    const double bytes = bytes_of(message);
    if (accumulate || message.peer == rank_ || message.staged) traffic_.unpacked_bytes += bytes;
    if (message.peer == rank_) return;
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    traffic_.receives.own.push_back({.level = level, .bytes = bytes});
  }

  // Adds the messages of the ranks that share a port with this rank.
  // @pre all messages of this rank were added
  void share_ports(const ListOf& list_of) {
    for (std::size_t level = 0; level < platform_.levels.size(); ++level) {
      if (platform_.levels[level].shared_by <= 1) continue;
      if (has_message(traffic_.sends, level) || has_message(traffic_.receives, level)) {
        share_port(level, list_of);
      }
    }
  }

  TransferTraffic traffic() && { return std::move(traffic_); }

 private:
  double bytes_of(const PeerMessage& message) const {
    return static_cast<double>(message.elements) * element_bytes_;
  }

  void share_port(std::size_t level, const ListOf& list_of) {
    const int port = port_of(platform_, level, rank_);
    const int others = platform_.levels[level].shared_by - 1;
    for (int other = std::max(0, rank_ - others); other <= rank_ + others; ++other) {
      if (other == rank_ || port_of(platform_, level, other) != port) continue;
      const TransferList list = list_of(other);
      add_others(level, other, list.sends, traffic_.sends);
      add_others(level, other, list.receives, traffic_.receives);
    }
  }

  void add_others(std::size_t level,
                  int other,
                  std::span<const Piece> pieces,
                  DirectionTraffic& direction) const {
    direction.others.reserve(direction.others.size() + pieces.size());
    for_each_message(pieces, {}, [&](const PeerMessage& message) {
      if (message.peer == other) return;
      if (level_index_between(platform_, other, message.peer) != level) return;
      direction.others.push_back({.level = level, .bytes = bytes_of(message)});
    });
  }

  const Platform& platform_;
  int rank_;
  double element_bytes_;
  TransferTraffic traffic_;
};

}  // namespace

double message_time_s(const Platform& platform, int from, int to, double bytes) {
  if (from == to) return platform.copy_s_per_byte * bytes;
  return segment_time_s(level_between(platform, from, to).segments, bytes);
}

ListOf lists_of(const RankBoxes& sources, const RankBoxes& destinations, int ranks_per_node) {
  return [&sources, &destinations, ranks_per_node](int rank) {
    return rank < sources.rank_count() ? transfer_list(sources, destinations, rank, ranks_per_node)
                                       : TransferList{};
  };
}

TransferTraffic transfer_traffic(const Platform& platform,
                                 const TransferList& list,
                                 int rank,
                                 const TransferTraits& traits,
                                 const ListOf& list_of) {
  TrafficFinder finder(platform, list, rank, traits.element_bytes);
  for_each_message(
      list.sends, traits.source_box, [&](const PeerMessage& message) { finder.send(message); });
  for_each_message(list.receives, traits.destination_box, [&](const PeerMessage& message) {
    finder.receive(message, traits.accumulate);
  });
  if (list_of) finder.share_ports(list_of);
  TransferTraffic traffic = std::move(finder).traffic();
  traffic.others_are_equal = !list_of;
  traffic.accumulate = traits.accumulate;
  if (traits.zero_first) {
    traffic.cleared_bytes = static_cast<double>(volume(traits.destination_box)) *
                            static_cast<double>(traits.element_bytes);
  }
  return traffic;
}

TransferTime transfer_time(const Platform& platform, const TransferTraffic& traffic) {
  const double unpack_s_per_byte =
      traffic.accumulate ? platform.gamma_s_per_byte : platform.copy_s_per_byte;
  return {.link_s = link_s(platform, traffic),
          .pack_s = traffic.packed_bytes * platform.copy_s_per_byte +
                    traffic.cleared_bytes * platform.copy_s_per_byte,
          .unpack_s = traffic.unpacked_bytes * unpack_s_per_byte};
}

TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits,
                           const ListOf& list_of) {
  return transfer_time(platform, transfer_traffic(platform, list, rank, traits, list_of));
}

}  // namespace cnnplan
