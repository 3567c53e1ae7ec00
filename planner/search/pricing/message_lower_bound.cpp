// Takes the cheapest segments, and assumes that levels carry messages at the same time.
#include "planner/search/pricing/message_lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "planner/tensor/transfer.hpp"

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
  for (const Level& level : levels) {
    for (const Segment& segment : level.segments) {
      ends.push_back(static_cast<double>(segment.max_bytes));
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Returns the segments that cover messages of at most `bytes`.
std::span<const Segment> segments_to(const Level& level, double bytes) {
  return {level.segments.data(), &segment_of(level.segments, bytes) + 1};
}

}  // namespace

MessageLowerBound::MessageLowerBound(const Platform& platform, int ranks) {
  const std::span<const Level> levels = levels_between(platform, ranks);
  const auto is_shortened = [](const Level& level) { return level.duplex_factor < 1.0; };
  if (levels.empty() || std::any_of(levels.begin(), levels.end(), is_shortened)) return;
  gap_s_ = infinity;
  for (const Level& level : levels) gap_s_ = std::min(gap_s_, level.gap_s);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    LevelFigures figures{.ranks_inside = i == 0 ? 1 : levels[i - 1].ranks_per_group, .by_size = {}};
    for (const double end : ends_of(levels.subspan(i))) {
      double alpha_s = infinity;
      double bytes_per_s = 0.0;
      for (const Level& level : levels.subspan(i)) {
        double beta_s_per_byte = infinity;
        for (const Segment& segment : segments_to(level, end)) {
          alpha_s = std::min(alpha_s, segment.alpha_s);
          beta_s_per_byte = std::min(beta_s_per_byte, segment.beta_s_per_byte);
        }
        bytes_per_s += 1.0 / beta_s_per_byte;
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

double MessageLowerBound::receive_s(const RankBoxes& sources,
                                    const Box& wanted,
                                    int rank,
                                    std::int64_t element_bytes) const {
  if (levels_.empty()) return 0.0;
  const ReceivedPieces pieces = received_pieces(sources, wanted, rank);
  if (pieces.senders == 0) return 0.0;
  const auto bytes_of = [&](std::int64_t elements) {
    return static_cast<double>(elements) * static_cast<double>(element_bytes);
  };
  MessageCount count{.messages = pieces.senders,
                     .bytes = bytes_of(pieces.elements),
                     .longest_bytes = bytes_of(pieces.longest)};
  double most_s = seconds(0, count);
  for (std::size_t i = 1; i < levels_.size(); ++i) {
    const int inside = levels_[i].ranks_inside;
    const int first = rank / inside * inside;
    const int last = std::min(first + inside, sources.rank_count()) - 1;
    const std::int64_t outside =
        pieces.elements + pieces.own - most_elements_from(sources, wanted, first, last);
    if (outside <= 0) break;
    count.bytes = bytes_of(outside);
    most_s = std::max(most_s, seconds(i, count));
  }
  return most_s;
}

}  // namespace cnnplan
