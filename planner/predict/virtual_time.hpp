// The schedules of all ranks, or of one of each class, walked in virtual time.
#pragma once

#include <span>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/predict/rank_work.hpp"
#include "planner/schedule/representatives/rank_classes.hpp"

namespace cnnplan {

// Which end of the uncertainty of kernels is walked.
enum class Estimate { low, likely, high };

struct RankTimeline {
  // By operation: from the end of the one before, waiting included; of what runs beside kernels,
  // from its own start; where there are several lanes, from when the rank can begin it.
  std::vector<double> durations_s;
  std::vector<double> ends_s;  // by operation
  double end_s = 0.0;
  // Communication and waiting for other ranks: all of the step that its own kernels and its loading
  // do not fill.
  double exposed_s = 0.0;
};

struct VirtualTimeOptions {
  Estimate estimate = Estimate::likely;
  double overlap = 0.0;  // part of the time of halos and reductions that does not stop the kernels
  bool spreads =
      true;  // false, as with Estimate::low: ranks take equally long for the same kernels
};

// What an executor of `plan` can hide on the platform: nothing where it runs one operation after
// the other.
double overlap_of(const Plan& plan, const Platform& platform);

// Operations start in list order when what they depend on has ended and their stream is free. A
// transfer or collective also waits for its partners. Without overlap all streams are one: every
// operation blocks the next. Lanes of kernels run side by side.
// Whoever waits for a rank waits for the one that is walked for its class.
// @pre work[i].rank == classes.representatives()[i], all of one plan
// @throws logic_error when the schedules wait for each other for ever
std::vector<RankTimeline> walk(std::span<const RankWork> work,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options = {});
std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options = {});

// Step time of the slowest rank.
double step_time_s(std::span<const RankTimeline> timelines);

}  // namespace cnnplan
