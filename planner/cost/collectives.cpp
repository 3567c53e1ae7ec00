// Collectives on the levels of a platform, message by message.
#include "planner/cost/collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "planner/cost/links.hpp"

namespace cnnplan {
namespace {

// Ranks below one instance of the level inside `level`, whose links to the outside are `level`'s.
int ranks_inside(const Platform& platform, const Level& level) {
  const auto index = &level - platform.levels.data();
  return index == 0 ? 1 : platform.levels[static_cast<std::size_t>(index - 1)].ranks_per_group;
}

// Ring messages that leave one instance of the inner level at once, at most `level.shared_by`.
// Where the group has only some of the instance's ranks, the others run a ring of the same form.
double ring_sharing(const Platform& platform,
                    const Level& level,
                    std::span<const int> group,
                    int sender) {
  const int inside = ranks_inside(platform, level);
  int members = 0;
  int leaving = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] / inside != sender / inside) continue;
    ++members;
    if (group[(i + 1) % group.size()] / inside != sender / inside) ++leaving;
  }
  const double messages = static_cast<double>(leaving) * inside / members;
  return std::clamp(messages, 1.0, std::max(1.0, static_cast<double>(level.shared_by)));
}

// Whose ring: ours, as it was measured if it was, or one of messages.
enum class Ring { own, of_messages };

// One of the 2(p-1) steps; half of them add, so each bears half of gamma.
double ring_step_s(const Platform& platform,
                   std::span<const int> group,
                   std::size_t sender,
                   double bytes,
                   Ring ring) {
  const int rank = group[sender];
  const Level& level = level_between(platform, rank, group[(sender + 1) % group.size()]);
  const double sharing = ring_sharing(platform, level, group, rank);
  if (ring == Ring::own && !level.ring_segments.empty()) {
    const Segment& measured = segment_of(level.ring_segments, bytes);
    return measured.alpha_s + sharing * measured.beta_s_per_byte * bytes;
  }
  const double gamma_s = bytes * platform.gamma_s_per_byte / 2;
  return gamma_s + level.duplex_factor * ring_block_s(platform, level, bytes, sharing);
}

double ring_time_s(const Platform& platform, std::span<const int> group, double bytes, Ring ring) {
  const auto ranks = static_cast<double>(group.size());
  double step_s = 0.0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    step_s = std::max(step_s, ring_step_s(platform, group, i, bytes / ranks, ring));
  }
  return 2 * (ranks - 1) * step_s;
}

// The outermost level that the group spans, for messages of `message_bytes`, all ranks sending.
LinearCost group_cost(const Platform& platform, std::span<const int> group, double message_bytes) {
  const auto [first, last] = std::minmax_element(group.begin(), group.end());
  const Level& level = level_between(platform, *first, *last);
  const Segment& segment = segment_of(level.segments, message_bytes);
  return {.alpha_s = segment.alpha_s * level.duplex_factor,
          .beta_s_per_byte = segment.beta_s_per_byte * level.duplex_factor * level.shared_by,
          .gamma_s_per_byte = platform.gamma_s_per_byte};
}

// The fastest of Thakur's algorithms, each with the segment of its longest message.
struct Fastest {
  LibraryAlgorithm algorithm = LibraryAlgorithm::recursive_doubling;
  double seconds = 0.0;
};

Fastest fastest(const Platform& platform, std::span<const int> group, double bytes) {
  const int ranks = static_cast<int>(group.size());
  const std::array<Fastest, 3> candidates{
      Fastest{LibraryAlgorithm::recursive_doubling,
              allreduce_recursive_doubling_s(ranks, bytes, group_cost(platform, group, bytes))},
      Fastest{LibraryAlgorithm::rabenseifner,
              allreduce_rabenseifner_s(ranks, bytes, group_cost(platform, group, bytes / 2))},
      Fastest{LibraryAlgorithm::ring, ring_time_s(platform, group, bytes, Ring::of_messages)}};
  return *std::min_element(
      candidates.begin(), candidates.end(), [](const Fastest& a, const Fastest& b) {
        return a.seconds < b.seconds;
      });
}

// Null where the library's allreduce was not measured on so many ranks.
const LibraryAllreduce* library_fit(const Platform& platform, int ranks) {
  const auto& fits = platform.library_allreduce;
  const auto fit = std::find_if(fits.begin(), fits.end(), [&](const LibraryAllreduce& candidate) {
    return candidate.ranks == ranks && !candidate.segments.empty();
  });
  return fit == fits.end() ? nullptr : &*fit;
}

double library_time_s(const Platform& platform, std::span<const int> group, double bytes) {
  const LibraryAllreduce* fit = library_fit(platform, static_cast<int>(group.size()));
  return fit == nullptr ? fastest(platform, group, bytes).seconds
                        : segment_time_s(fit->segments, bytes);
}

}  // namespace

double ring_block_s(const Platform& platform, const Level& level, double bytes, double sharing) {
  constexpr double inside_node = 64 << 10;
  constexpr double between_nodes = 256 << 10;
  const bool is_inside = &level == platform.levels.data();
  const double chunk_bytes = std::min(bytes, is_inside ? inside_node : between_nodes);
  const double chunks = std::ceil(bytes / chunk_bytes);
  const Segment& segment = segment_of(level.segments, chunk_bytes);
  return chunks * segment.alpha_s + sharing * segment.beta_s_per_byte * bytes;
}

LibraryAlgorithm library_algorithm(const Platform& platform,
                                   std::span<const int> group,
                                   double bytes) {
  const bool measured = has_library_fit(platform, static_cast<int>(group.size()));
  return measured ? LibraryAlgorithm::measured : fastest(platform, group, bytes).algorithm;
}

bool has_library_fit(const Platform& platform, int ranks) {
  return library_fit(platform, ranks) != nullptr;
}

double allreduce_time_s(const Platform& platform,
                        std::span<const int> group,
                        double bytes,
                        AllreduceAlgorithm algorithm) {
  if (group.size() < 2 || bytes <= 0) return 0.0;
  return algorithm == AllreduceAlgorithm::ring ? ring_time_s(platform, group, bytes, Ring::own)
                                               : library_time_s(platform, group, bytes);
}

}  // namespace cnnplan
