// Holds when each rank began and ended each operation of some steps, on a common clock.
#pragma once

#include <cstdint>
#include <vector>

namespace cnnplan {

// Compares the clock of a rank with the clock of rank 0. Times of operations are already converted
// to the clock of rank 0.
struct RankClock {
  double offset_s = 0.0;  // the rank's time less that of rank 0, before the first step
  double drift = 0.0;     // growth of the offset, in seconds per second
  // The fastest messages and marks of the device took this long. Times of the rank are off by at
  // most half of it.
  double round_trip_s = 0.0;
  bool operator==(const RankClock&) const = default;
};

// Nanoseconds count from the first begin of an operation in the first step. Both lists have an
// entry for each operation of the rank.
struct OperationTimes {
  std::vector<std::int64_t> begin_ns{};
  std::vector<std::int64_t> duration_ns{};
  bool operator==(const OperationTimes&) const = default;
};

struct RankTimes {
  RankClock clock{};
  std::vector<int> operations{};        // places in RunReport::operations, in the rank's order
  std::vector<OperationTimes> steps{};  // at least one
  bool operator==(const RankTimes&) const = default;
};

// Consecutive steps, of all ranks.
struct MeasuredSteps {
  std::int64_t first_step = 0;  // counts from 0
  std::vector<RankTimes> ranks{};
  bool operator==(const MeasuredSteps&) const = default;
};

}  // namespace cnnplan
