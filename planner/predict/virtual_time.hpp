// The schedules of all ranks walked in virtual time.
#pragma once

#include <span>
#include <vector>

#include "planner/predict/price.hpp"

namespace cnnplan {

// Which end of the uncertainty of kernels is walked.
enum class Estimate { low, likely, high };

struct RankTimeline {
  // By operation: from the end of the one before, waiting included.
  std::vector<double> durations_s;
  double end_s = 0.0;
};

// Operations start in list order when what they depend on has ended and their stream is free. A
// transfer or collective also waits for its partners; of its time, the platform's overlap
// efficiency does not stop the kernels.
// @pre schedules[i].schedule.rank == i, all of one plan
// @throws logic_error when the schedules wait for each other for ever
std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const Platform& platform,
                               Estimate estimate);

// Step time of the slowest rank.
double step_time_s(std::span<const RankTimeline> timelines);

}  // namespace cnnplan
