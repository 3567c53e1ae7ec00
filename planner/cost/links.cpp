// Messages by segment, transfer lists by peer and level.
#include "planner/cost/links.hpp"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include "planner/model/peer_message.hpp"

namespace cnnplan {
namespace {

// Messages of one rank, one way.
class DirectionLoad {
 public:
  explicit DirectionLoad(std::size_t levels) : latency_s_(levels), busy_s_(levels) {}

  void add(const Level& level, std::size_t index, double bytes) {
    const Segment& segment = segment_of(level.segments, bytes);
    latency_s_[index] = std::max(latency_s_[index], segment.alpha_s);
    busy_s_[index] += segment.beta_s_per_byte * level.shared_by * bytes;
    if (!is_first_) gaps_s_ += level.gap_s;
    is_first_ = false;
  }
  // Of those of one level, when those of others take their gaps, too.
  double seconds(std::size_t level) const {
    const double own_s = latency_s_[level] + busy_s_[level];
    return own_s > 0.0 ? own_s + gaps_s_ : 0.0;
  }

 private:
  static constexpr std::size_t usual_levels = 4;
  using ByLevel = boost::container::small_vector<double, usual_levels>;

  ByLevel latency_s_;  // the longest: they pass side by side
  ByLevel busy_s_;
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

TransferTime transfer_time(const Platform& platform,
                           const TransferList& list,
                           int rank,
                           const TransferTraits& traits) {
  RankLoad load(platform, rank, traits.element_bytes);
  for_each_message(
      list.sends, traits.source_box, [&](const PeerMessage& message) { load.send(message); });
  for_each_message(list.receives, traits.destination_box, [&](const PeerMessage& message) {
    load.receive(message, traits.accumulate);
  });
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
