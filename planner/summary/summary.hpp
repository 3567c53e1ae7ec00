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
  int ranks = 1;        // of that run
  double step_s = 0.0;  // of that run
  double ratio = 1.0;   // step of that run / step of the plan
  bool operator==(const DataParallelRatio&) const = default;
};

struct Summary {
  std::string network;
  int ranks = 1;
  std::int64_t batch = 1;
  std::string precision;
  bool is_data_parallel = false;
  bool has_images = true;  // false where samples are volumes or lists of numbers
  std::vector<LayerGroup> groups;
  std::vector<std::string> group_names;  // "conv1 to conv4", as in `groups`
  std::vector<SplitCount> counts;
  double step_s = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
  double samples_per_s = 0.0;
  std::int64_t memory_bytes = 0;  // of the rank that needs most
  std::int64_t available_bytes = 0;
  bool any_estimated = false;
  std::optional<DataParallelRatio> ratio;  // missing: no run fits, or the plan does not say
  std::optional<Rival> too_large;          // data parallelism, where no such run fits
  std::optional<Reason> reason;
  std::optional<Confidence> confidence;
  std::vector<Rival> rivals;         // those of the plan, to which reason and confidence refer
  std::optional<double> measured_s;  // step of a run; missing: the plan alone
  std::string plan_file;             // for commands to copy; empty: not known
  bool operator==(const Summary&) const = default;
};

// @pre operations of the prediction have a part: with_places completes plans of schema /1
Summary summary_of(const Plan& plan);

}  // namespace cnnplan
