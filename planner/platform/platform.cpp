// Looks up levels, ports and segments, and makes a default platform for unmeasured machines.
#include "planner/platform/platform.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace cnnplan {
namespace {

// These figures are typical of ranks that copy through shared memory, rounded to be pessimistic.
constexpr double shared_memory_alpha_s = 0.5e-6;
constexpr double shared_memory_bytes_per_s = 8e9;
constexpr double copy_bytes_per_s = 10e9;
constexpr double reduction_bytes_per_s = 10e9;

}  // namespace

const Segment& segment_of(const std::vector<Segment>& segments, double bytes) {
  if (segments.empty()) throw std::logic_error("a link without segments");
  const auto found = std::find_if(segments.begin(), segments.end(), [bytes](const Segment& s) {
    return bytes <= static_cast<double>(s.max_bytes);
  });
  return found == segments.end() ? segments.back() : *found;
}

double segment_time_s(const std::vector<Segment>& segments, double bytes) {
  const Segment& segment = segment_of(segments, bytes);
  return segment.alpha_s + bytes * segment.beta_s_per_byte;
}

const std::vector<Segment>& ring_segments(const Level& level, CollectiveKind kind) {
  const std::vector<Segment>& own = kind == CollectiveKind::reduce_scatter
                                        ? level.reduce_scatter_segments
                                        : level.allgather_segments;
  return kind == CollectiveKind::allreduce || own.empty() ? level.ring_segments : own;
}

Platform default_platform(int ranks) {
  const Segment segment{.max_bytes = std::numeric_limits<std::int64_t>::max(),
                        .alpha_s = shared_memory_alpha_s,
                        .beta_s_per_byte = 1.0 / shared_memory_bytes_per_s};
  Platform platform;
  // Cores copy the messages themselves, one after the other.
  platform.levels.push_back({.name = "node",
                             .ranks_per_group = ranks,
                             .segments = {segment},
                             .gap_s = shared_memory_alpha_s});
  platform.gamma_s_per_byte = 1.0 / reduction_bytes_per_s;
  platform.copy_s_per_byte = 1.0 / copy_bytes_per_s;
  return platform;
}

const Level& level_between(const Platform& platform, int rank_a, int rank_b) {
  return platform.levels[level_index_between(platform, rank_a, rank_b)];
}

std::size_t level_index_between(const Platform& platform, int rank_a, int rank_b) {
  if (rank_a == rank_b || platform.levels.empty()) {
    throw std::logic_error("no level lies between a rank and itself");
  }
  const std::size_t outermost = platform.levels.size() - 1;
  for (std::size_t i = 0; i < outermost; ++i) {
    const int ranks = platform.levels[i].ranks_per_group;
    if (rank_a / ranks == rank_b / ranks) return i;
  }
  return outermost;
}

int port_of(const Platform& platform, std::size_t level, int rank) {
  const int inside = platform.levels[level == 0 ? 0 : level - 1].ranks_per_group;
  const int sharing = std::clamp(platform.levels[level].shared_by, 1, inside);
  const int ports_inside = (inside + sharing - 1) / sharing;
  return rank / inside * ports_inside + rank % inside / sharing;
}

Platform without_measured_collectives(Platform platform) {
  platform.allreduce.clear();
  for (Level& level : platform.levels) {
    level.ring_segments.clear();
    level.reduce_scatter_segments.clear();
    level.allgather_segments.clear();
  }
  return platform;
}

std::int64_t distance_of_like_places(const Platform& platform, int ranks) {
  std::int64_t distance = 1;
  for (const Level& level : platform.levels) {
    if (level.ranks_per_group < ranks) {
      distance = std::lcm(distance, level.ranks_per_group);
    }
    distance = std::lcm(distance, level.shared_by);
    if (ranks % distance != 0) return 0;
  }
  return distance;
}

}  // namespace cnnplan
