// What messages take at least, by their number and bytes alone.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/model/block_ownership.hpp"
#include "planner/model/platform.hpp"

namespace cnnplan {

// No rank of the platform waits less for messages from others.
class LeastMessage {
 public:
  explicit LeastMessage(const Platform& platform);

  // Seconds. Other ranks of the innermost level as far as it has them, then of the next.
  double operator()(int senders, double bytes) const;

 private:
  struct Level {
    int ranks_per_group = 1;
    double alpha_s = 0.0;  // of this level and those around it, the least
    double beta_s_per_byte = 0.0;
  };

  std::vector<Level> levels_;  // innermost first; none where sends may hide what is received
};

// What `rank` gets from others on the way from `sources` to `destinations`, in seconds, at least.
double least_receive_s(const LeastMessage& least,
                       const BlockOwnership& sources,
                       const BlockOwnership& destinations,
                       int rank,
                       std::int64_t element_bytes);

}  // namespace cnnplan
