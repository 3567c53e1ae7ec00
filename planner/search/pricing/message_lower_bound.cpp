// Takes the cheapest segments of messages and of exchanges, and assumes that levels carry messages
// at the same time.
#include "planner/search/pricing/message_lower_bound.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

#include "planner/platform/exchange_times.hpp"

namespace cnnplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the innermost levels that connect all ranks.
std::span<const Level> levels_between(const Platform& platform, int ranks) {
  std::size_t count = 0;
  for (const Level& level : platform.levels) {
    ++count;
    if (level.ranks_per_group >= ranks) break;
  }
  return std::span(platform.levels).first(count);
}

// Returns the sizes at which a segment of these levels ends, in ascending order.
std::vector<double> ends_of(std::span<const Level> levels) {
  std::vector<double> ends;
  for (const Level& level : levels)
    std::ranges::copy(segment_ends(level), std::back_inserter(ends));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Lowers alpha and beta of `least` to the cheapest of the segments that cover messages of at most
// `bytes`.
void lower_to(const std::vector<Segment>& segments, double bytes, Segment& least) {
  if (segments.empty()) return;
  for (const Segment& segment : std::span(segments.data(), &segment_of(segments, bytes) + 1)) {
    least.alpha_s = std::min(least.alpha_s, segment.alpha_s);
    least.beta_s_per_byte = std::min(least.beta_s_per_byte, segment.beta_s_per_byte);
  }
}

// Returns the cheapest figures of messages of at most `bytes`, alone or in an exchange.
Segment least_segment(const Level& level, double bytes) {
  Segment least{.alpha_s = infinity, .beta_s_per_byte = infinity};
  lower_to(level.segments, bytes, least);
  lower_to(level.exchange_segments, bytes, least);
  return least;
}

// True if sends may shorten receives. Measured exchanges do not (both_ways_s).
bool is_shortened(const Level& level) {
  return level.exchange_segments.empty() && level.duplex_factor < 1.0;
}

}  // namespace

MessageLowerBound::MessageLowerBound(const Platform& platform, int ranks) {
  const std::span<const Level> levels = levels_between(platform, ranks);
  if (levels.empty() || std::any_of(levels.begin(), levels.end(), is_shortened)) return;
  gap_s_ = infinity;
  for (const Level& level : levels) gap_s_ = std::min(gap_s_, level.gap_s);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    LevelFigures figures{.ranks_inside = i == 0 ? 1 : levels[i - 1].ranks_per_group, .by_size = {}};
    for (const double end : ends_of(levels.subspan(i))) {
      double alpha_s = infinity;
      double bytes_per_s = 0.0;
      for (const Level& level : levels.subspan(i)) {
        const Segment least = least_segment(level, end);
        alpha_s = std::min(alpha_s, least.alpha_s);
        bytes_per_s += 1.0 / least.beta_s_per_byte;
      }
      figures.by_size.push_back(
          {.max_bytes = end, .alpha_s = alpha_s, .beta_s_per_byte = 1.0 / bytes_per_s});
    }
    levels_.push_back(std::move(figures));
  }
}

double MessageLowerBound::seconds(std::size_t level, const MessageCount& count) const {
  if (levels_.empty() || count.messages == 0) return 0.0;
  const std::vector<Figures>& by_size = levels_[level].by_size;
  const auto found = std::find_if(by_size.begin(), by_size.end() - 1, [&](const Figures& figures) {
    return count.longest_bytes <= figures.max_bytes;
  });
  return found->alpha_s + (count.messages - 1) * gap_s_ + count.bytes * found->beta_s_per_byte;
}

std::pair<int, int> MessageLowerBound::group_inside(std::size_t level, int rank, int ranks) const {
  const int inside = levels_[level].ranks_inside;
  const int first = rank / inside * inside;
  return {first, std::min(first + inside, ranks) - 1};
}

double MessageLowerBound::receive_s(const RankBoxes& sources,
                                    const Box& wanted,
                                    int rank,
                                    std::int64_t element_bytes) const {
  if (levels_.empty()) return 0.0;
  return receive_s(received_pieces(sources, wanted, rank), element_bytes, [&](std::size_t level) {
    const auto [first, last] = group_inside(level, rank, sources.rank_count());
    return most_elements_from(sources, wanted, first, last);
  });
}

}  // namespace cnnplan
