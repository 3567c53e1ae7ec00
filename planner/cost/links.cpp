// Messages by segment, transfer lists by peer and level.
#include "planner/cost/links.hpp"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include "planner/model/peer_message.hpp"

namespace cnnplan {
namespace {

// Messages one way, on one level.
class DirectionLoad {
 public:
  void add(const Level& level, double bytes) {
    const Segment& segment = segment_of(level.segments, bytes);
    latency_s_ = std::max(latency_s_, segment.alpha_s);
    busy_s_ += segment.beta_s_per_byte * level.shared_by * bytes;
    if (!is_first_) busy_s_ += level.gap_s;
    is_first_ = false;
  }
  double seconds() const { return latency_s_ + busy_s_; }

 private:
  double latency_s_ = 0.0;  // of all of them, side by side
  double busy_s_ = 0.0;
  bool is_first_ = true;
};

struct LevelLoad {
  DirectionLoad sends;
  DirectionLoad receives;
};

// Adds up the messages of one rank.
class RankLoad {
 public:
  RankLoad(const Platform& platform, int rank, std::int64_t element_bytes)
      : platform_(platform),
        rank_(rank),
        element_bytes_(static_cast<double>(element_bytes)),
        loads_(platform.levels.size()) {}

  void send(const PeerMessage& message) {
    if (message.peer == rank_) return;
    const double bytes = bytes_of(message);
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    loads_[level].sends.add(platform_.levels[level], bytes);
    if (message.staged) packed_bytes_ += bytes;
  }

  void receive(const PeerMessage& message, bool accumulate) {
    const double bytes = bytes_of(message);
    if (accumulate || message.peer == rank_ || message.staged) unpacked_bytes_ += bytes;
    if (message.peer == rank_) return;
    const std::size_t level = level_index_between(platform_, rank_, message.peer);
    loads_[level].receives.add(platform_.levels[level], bytes);
  }

  double link_s() const {
    double most_s = 0.0;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const double send_s = loads_[i].sends.seconds();
      const double receive_s = loads_[i].receives.seconds();
      const auto [shorter_s, longer_s] = std::minmax(send_s, receive_s);
      const double level_s =
          platform_.levels[i].duplex_factor * shorter_s + (longer_s - shorter_s);
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

  static constexpr std::size_t usual_levels = 4;

  const Platform& platform_;
  int rank_;
  double element_bytes_;
  boost::container::small_vector<LevelLoad, usual_levels> loads_;
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
