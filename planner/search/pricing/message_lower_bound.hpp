// Bounds from below what messages take, by their number and bytes alone.
#pragma once

#include <cstdint>

#include "planner/platform/platform.hpp"
#include "planner/tensor/rank_boxes.hpp"

namespace cnnplan {

// No rank waits less than this for messages from others, even if it has its ports for itself.
class MessageLowerBound {
 public:
  explicit MessageLowerBound(const Platform& platform);

  // Returns seconds: the least latency, the least gaps, and the bytes on the links of all levels at
  // once.
  double operator()(int senders, double bytes) const;

 private:
  bool is_bounded_ = false;  // false if a duplex factor below 1 lets sends shorten receives
  double alpha_s_ = 0.0;
  double beta_s_per_byte_ = 0.0;
  double gap_s_ = 0.0;
};

// Returns the least seconds in which `rank` gets its part of `destinations` from other ranks.
double receive_lower_bound_s(const MessageLowerBound& bound,
                             const RankBoxes& sources,
                             const RankBoxes& destinations,
                             int rank,
                             std::int64_t element_bytes);

}  // namespace cnnplan
