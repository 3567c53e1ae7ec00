// Joins plans, runs and the scaling of plans in one document.
#include <map>

#include "planner/json/input_files_json.hpp"
#include "planner/page/report_json.hpp"
#include "planner/report/comparison_json.hpp"
#include "planner/report/group_costs.hpp"
#include "planner/report/scaling_text.hpp"

namespace cnnplan {
namespace {

// Adds up medians, minima and maxima of the operations of each row. Sums of minima and maxima are
// the widest range, because operations need not be slow in the same step.
OrderedJson spread_json(const RunReport& run) {
  std::map<std::string, std::array<double, 3>> sums;
  for (const MeasuredOperation& operation : run.operations) {
    if (!operation.place.part) continue;
    auto& sum = sums[group_of({.id = operation.id, .place = operation.place})];
    sum[0] += operation.time.median_s;
    sum[1] += operation.time.min_s;
    sum[2] += operation.time.max_s;
  }
  OrderedJson rows = OrderedJson::object();
  for (const auto& [name, sum] : sums) rows[name] = sum;
  return rows;
}

OrderedJson run_json(const ReportedRun& reported) {
  const RunReport& run = reported.run;
  OrderedJson environment = OrderedJson::object();
  for (const auto& [name, value] : run.environment) environment[name] = value;
  return {{"file", reported.file.file},
          {"sha256", reported.file.sha256},
          {"plan", reported.plan},
          {"backend", run.backend},
          {"device", run.device},
          {"environment", environment},
          {"inputs", to_ordered_json(run.inputs)},
          {"spread", spread_json(run)},
          {"comparison", comparison_document(reported.comparison)}};
}

// Lists the plans with their efficiency. It is empty unless plans differ in their ranks.
OrderedJson scaling_json(const std::vector<ReportedPlan>& plans) {
  std::map<int, ScalingPoint> by_ranks;
  for (const ReportedPlan& reported : plans) {
    const ScalingPoint point = scaling_point(reported.plan);
    const auto [known, is_new] = by_ranks.try_emplace(point.ranks, point);
    if (!is_new && point.step_s < known->second.step_s) known->second = point;
  }
  OrderedJson list = OrderedJson::array();
  if (by_ranks.size() < 2) return list;
  std::vector<ScalingPoint> points;
  for (const auto& [ranks, point] : by_ranks) points.push_back(point);
  for (const ScalingPoint& point : points) {
    if (!point.step_s) continue;
    list.push_back({{"ranks", point.ranks},
                    {"step_s", *point.step_s},
                    {"images_per_s", point.images_per_s},
                    {"efficiency", efficiency(point, points)},
                    {"plan", point.plan}});
  }
  return list;
}

}  // namespace

std::string to_json(const ReportData& data) {
  OrderedJson document = new_document("report");
  document["program"] = data.version;
  document["plans"] = OrderedJson::array();
  for (const ReportedPlan& reported : data.plans) document["plans"].push_back(plan_json(reported));
  document["runs"] = OrderedJson::array();
  for (const ReportedRun& reported : data.runs) document["runs"].push_back(run_json(reported));
  document["scaling"] = scaling_json(data.plans);
  return write_json_line(document);
}

}  // namespace cnnplan
