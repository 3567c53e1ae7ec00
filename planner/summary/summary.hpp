// Holds what a person wants to know of a plan first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/summary/confidence.hpp"
#include "planner/summary/layer_groups.hpp"
#include "planner/summary/reason.hpp"

namespace cnnplan {

// Says how fast the plan is, compared with the fastest data-parallel run that fits.
struct DataParallelRatio {
  int ranks = 1;                  // of that run
  double step_s = 0.0;            // of that run
  double ratio = 1.0;             // step of that run / step of the plan
  std::int64_t memory_bytes = 0;  // of the rank of that run that needs most; 0: not known
  bool operator==(const DataParallelRatio&) const = default;
};

// Holds the values that a summary prints. Without a comment, a field is that of the plan.
struct Summary {
  std::string network;  // its name
  int ranks = 1;
  std::int64_t batch = 1;  // global mini-batch
  std::string precision;
  bool is_data_parallel = false;
  bool was_searched = true;  // false: the split was given
  bool overlap = false;      // kernels may hide communication, also in data-parallel runs
  bool has_images = true;    // false where samples are volumes or lists of numbers
  std::vector<LayerGroup> groups;
  std::vector<std::string> group_names;  // "conv1 to conv4", as in `groups`
  std::vector<SplitCount> counts;
  double step_s = 0.0;                     // predicted
  double low_s = 0.0;                      // the lower end of its range
  double high_s = 0.0;                     // the upper end of its range
  double samples_per_s = 0.0;              // batch / step_s
  std::int64_t memory_bytes = 0;           // of the rank that needs most
  std::int64_t available_bytes = 0;        // memory of a rank; 0: not known
  bool any_estimated = false;              // the profile lacks some kernel
  std::optional<DataParallelRatio> ratio;  // missing: no such run fits, or none is known
  std::optional<Rival> too_large;          // data parallelism, where no such run fits
  std::optional<Reason> reason;
  std::optional<Confidence> confidence;
  std::vector<Rival> rivals;         // those of the plan, to which reason and confidence refer
  std::optional<double> measured_s;  // step of a run; missing: the plan alone
  std::string profile_start;         // of commands to copy that time kernels
  std::string plan_file;             // for these commands; empty: not known
  bool operator==(const Summary&) const = default;
};

// Returns the summary of a plan with a prediction. Commands name `plan_file`, unless it is empty or
// a stream. measured_s is left to the caller.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
Summary summary_of(const Plan& plan, const std::string& plan_file = {});

}  // namespace cnnplan
