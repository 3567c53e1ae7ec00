// What messages take at least, by their number and bytes alone.
#pragma once

#include <cstdint>

#include "planner/platform/platform.hpp"
#include "planner/tensor/block_ownership.hpp"

namespace cnnplan {

// No rank of the platform waits less for messages from others, its ports for itself.
class LeastMessage {
 public:
  explicit LeastMessage(const Platform& platform);

  // Seconds: the least latency, the least gaps, and the bytes on the links of all levels at once.
  double operator()(int senders, double bytes) const;

 private:
  bool is_bounded_ = false;  // no: sends may hide what is received
  double alpha_s_ = 0.0;
  double beta_s_per_byte_ = 0.0;
  double gap_s_ = 0.0;
};

// What `rank` gets from others on the way from `sources` to `destinations`, in seconds, at least.
double least_receive_s(const LeastMessage& least,
                       const BlockOwnership& sources,
                       const BlockOwnership& destinations,
                       int rank,
                       std::int64_t element_bytes);

}  // namespace cnnplan
