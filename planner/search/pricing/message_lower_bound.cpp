// Takes the cheapest segments, and assumes that all levels carry messages at the same time.
#include "planner/search/pricing/message_lower_bound.hpp"

#include <algorithm>
#include <limits>

#include "planner/tensor/transfer.hpp"

namespace cnnplan {

MessageLowerBound::MessageLowerBound(const Platform& platform) {
  double bytes_per_s = 0.0;  // of all levels together
  alpha_s_ = gap_s_ = std::numeric_limits<double>::infinity();
  for (const Level& level : platform.levels) {
    if (level.duplex_factor < 1.0) return;
    double beta_s_per_byte = std::numeric_limits<double>::infinity();
    for (const Segment& segment : level.segments) {
      alpha_s_ = std::min(alpha_s_, segment.alpha_s);
      beta_s_per_byte = std::min(beta_s_per_byte, segment.beta_s_per_byte);
    }
    bytes_per_s += 1.0 / beta_s_per_byte;
    gap_s_ = std::min(gap_s_, level.gap_s);
  }
  if (platform.levels.empty()) return;
  is_bounded_ = true;
  beta_s_per_byte_ = 1.0 / bytes_per_s;
}

double MessageLowerBound::operator()(int senders, double bytes) const {
  if (!is_bounded_ || senders == 0) return 0.0;
  return alpha_s_ + (senders - 1) * gap_s_ + bytes * beta_s_per_byte_;
}

double receive_lower_bound_s(const MessageLowerBound& bound,
                             const RankBoxes& sources,
                             const RankBoxes& destinations,
                             int rank,
                             std::int64_t element_bytes) {
  const Box wanted = destinations.box(rank);
  const Box own = sources.box(rank);
  const int senders = sender_count(sources, own, wanted);
  if (senders == 0) return 0.0;
  // Elements that no block has are not sent, such as inputs after the last window of a layer.
  const Box sent = intersect(wanted, sources.hull());
  const std::int64_t elements = volume(sent) - volume(intersect(sent, own));
  return bound(senders, static_cast<double>(elements) * static_cast<double>(element_bytes));
}

}  // namespace cnnplan
