// Says where each element of a stored weight is, for every format.
#pragma once

#include <cstdint>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Computes places in the stored weight of a convolution. Places and steps count elements, from the
// first one of the stored weight.
class StoredPlaces {
 public:
  explicit StoredPlaces(const KernelSpec& convolution);

  // Returns the place of the first filter of a group, for one of its channels and one tap.
  std::int64_t row(std::int64_t group, std::int64_t channel, std::int64_t tap) const;
  // Returns what has to be added to row() for another filter of the group than the first. Sixteen
  // filters from a multiple of 16 on follow each other without gaps.
  std::int64_t filter(std::int64_t filter) const;
  // Returns the step between channels where filters, channels and taps form one matrix for each
  // group, with rows in the order (tap, channel). Returns 0 for other formats.
  std::int64_t matrix_step() const { return matrix_step_; }

 private:
  std::int64_t per_group_ = 0;
  std::int64_t per_group_block_ = 0;    // of 16 groups
  std::int64_t per_channel_ = 0;        // within 16 channels
  std::int64_t per_channel_block_ = 0;  // of 16 channels
  std::int64_t per_filter_block_ = 0;   // of 16 filters
  std::int64_t per_tap_ = 0;
  std::int64_t matrix_step_ = 0;
};

}  // namespace cnnplan::onednn
