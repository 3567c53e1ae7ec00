// Copies the values of summaries and of tables of layers, for the public header.
#include <cstddef>
#include <optional>
#include <string>

#include "planner/api/errors.hpp"
#include "planner/api/values.hpp"
#include "planner/report/group_costs.hpp"
#include "planner/report/report_column.hpp"
#include "planner/summary/confidence.hpp"
#include "planner/summary/reason_text.hpp"
#include "planner/summary/summary.hpp"
#include "planner/summary/summary_text.hpp"

namespace cnnplan::api {
inline namespace v1 {
namespace {

LayerTimes times_of(const std::string& name, const std::string& split, const GroupCost& cost) {
  LayerTimes times{.name = name,
                   .split = split,
                   .total_s = cost.total_s,
                   .critical_s = cost.critical_s,
                   .estimated = cost.estimated,
                   .parts_s = {}};
  for (const ReportColumn column : all_report_columns) {
    const double seconds = cost.columns_s[static_cast<std::size_t>(column)];
    if (seconds != 0.0) times.parts_s.emplace(to_text(column), seconds);
  }
  return times;
}

Rival public_rival(const cnnplan::Rival& rival) {
  return {.kind = std::string(to_text(rival.kind)),
          .plan = rival.plan,
          .ranks = rival.ranks,
          .step_s = rival.step_s,
          .memory_bytes = rival.memory_bytes,
          .fits = rival.fits};
}

Sureness sureness_of(const Confidence& confidence) {
  const Wins& closest = confidence.wins.at(confidence.closest);
  return {.draws = confidence.draws,
          .wins = closest.draws,
          .rival = closest.rival,
          .figure = confidence.figure};
}

void add_times(const cnnplan::Plan& plan, Explanation& explanation) {
  GroupCosts found(plan);
  for (const LayerIndex i : plan.network.layers().indices()) {
    const std::string& name = plan.network.layer(i).name;
    explanation.layers.push_back(
        times_of(name, to_text(plan.layers[i].split()), found.costs[name]));
  }
  for (const std::string& group : found.without_layer) {
    explanation.groups.push_back(times_of(group, "", found.costs[group]));
  }
}

Explanation explanation_of(const cnnplan::Plan& plan) {
  const Summary summary = summary_of(plan);
  Explanation explanation{.network = summary.network,
                          .ranks = summary.ranks,
                          .batch = summary.batch,
                          .is_data_parallel = summary.is_data_parallel,
                          .samples_per_s = summary.samples_per_s,
                          .times_data_parallel = {},
                          .rivals = {},
                          .why = {},
                          .sure = {},
                          .layers = {},
                          .groups = {},
                          .summary = to_text(summary)};
  if (summary.ratio) explanation.times_data_parallel = summary.ratio->ratio;
  for (const cnnplan::Rival& rival : summary.rivals) {
    explanation.rivals.push_back(public_rival(rival));
  }
  if (summary.reason) {
    explanation.why =
        to_text(*summary.reason, summary.rivals, summary.ranks, summary.available_bytes);
  }
  if (summary.confidence) explanation.sure = sureness_of(*summary.confidence);
  add_times(plan, explanation);
  return explanation;
}

}  // namespace

Explanation explain(const Plan& plan) {
  return with_public_errors([&] { return explanation_of(plan.value().plan); });
}

}  // namespace v1
}  // namespace cnnplan::api
