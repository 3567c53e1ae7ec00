// The cheapest segment of every level, nearest ranks first.
#include "planner/search/least_message.hpp"

#include <algorithm>
#include <limits>

#include "planner/model/transfer.hpp"

namespace cnnplan {

LeastMessage::LeastMessage(const Platform& platform) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const cnnplan::Level& level : platform.levels) {
    if (level.duplex_factor < 1.0) {
      levels_.clear();
      return;
    }
    Level least{
        .ranks_per_group = level.ranks_per_group, .alpha_s = infinity, .beta_s_per_byte = infinity};
    for (const Segment& segment : level.segments) {
      least.alpha_s = std::min(least.alpha_s, segment.alpha_s);
      least.beta_s_per_byte =
          std::min(least.beta_s_per_byte, segment.beta_s_per_byte * level.shared_by);
    }
    levels_.push_back(least);
  }
  for (std::size_t i = levels_.size(); i-- > 1;) {
    levels_[i - 1].alpha_s = std::min(levels_[i - 1].alpha_s, levels_[i].alpha_s);
    levels_[i - 1].beta_s_per_byte =
        std::min(levels_[i - 1].beta_s_per_byte, levels_[i].beta_s_per_byte);
  }
}

double LeastMessage::operator()(int senders, double bytes) const {
  if (levels_.empty() || senders == 0) return 0.0;
  double seconds = 0.0;
  double beta_s_per_byte = levels_.back().beta_s_per_byte;
  int within = 1;
  for (std::size_t i = 0; i < levels_.size() && senders > 0; ++i) {
    const bool outermost = i + 1 == levels_.size();
    const int most = outermost ? senders : levels_[i].ranks_per_group - within;
    const int from = std::clamp(senders, 0, most);
    if (from > 0) beta_s_per_byte = std::min(beta_s_per_byte, levels_[i].beta_s_per_byte);
    seconds += from * levels_[i].alpha_s;
    senders -= from;
    within = levels_[i].ranks_per_group;
  }
  return seconds + bytes * beta_s_per_byte;
}

double least_receive_s(const LeastMessage& least,
                       const BlockOwnership& sources,
                       const BlockOwnership& destinations,
                       int rank,
                       std::int64_t element_bytes) {
  const Box wanted = destinations.box(rank);
  const Box own = sources.box(rank);
  const int senders = sender_count(sources, own, wanted);
  if (senders == 0) return 0.0;
  // What no block has, as behind the last window of a layer, is not sent.
  const Box sent = intersect(wanted, sources.hull());
  const std::int64_t elements = volume(sent) - volume(intersect(sent, own));
  return least(senders, static_cast<double>(elements) * static_cast<double>(element_bytes));
}

}  // namespace cnnplan
