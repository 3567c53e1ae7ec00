// Holds what the page of a report shows, before it becomes JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/page/timeline.hpp"
#include "planner/plan/other_splits.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/roofline.hpp"
#include "planner/report/compare.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {

// Holds a rival of a plan with the predicted time of each of its layers.
struct ReportedRival {
  std::size_t rival = 0;  // an index of Prediction::rivals
  Plan plan;
};

struct ReportedPlan {
  InputFile file;
  Plan plan;
  std::optional<Timeline> timeline{};
  std::string no_timeline{};                  // why there is none
  std::optional<Roofline> roofline{};         // there is one if there is a timeline
  std::optional<OtherSplits> other_splits{};  // there are some if there is a timeline
  std::vector<ReportedRival> rivals{};
  std::string path{};  // the plan's file as the user named it, for commands; empty: not known
  std::string assumptions{};  // as solve prints them; empty: everything was measured, or not known
};

struct ReportedRun {
  InputFile file;
  std::size_t plan = 0;  // an index of ReportData::plans
  RunReport run;
  Comparison comparison;
};

struct ReportData {
  std::string version;  // what --version prints
  std::vector<ReportedPlan> plans;
  std::vector<ReportedRun> runs;
};

// Returns a document of the kind "report" in one line.
// @pre operations of the predictions have a part: with_places completes plans of schema /1
std::string to_json(const ReportData& data);

}  // namespace cnnplan
