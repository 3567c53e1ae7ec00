// Sums up the critical path by kinds of operations, and divides the times of steps.
#include "planner/report/limits.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/report/report_column.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

bool is_message(ReportColumn column) {
  return column == ReportColumn::halo || column == ReportColumn::channels ||
         column == ReportColumn::shuffle || column == ReportColumn::copy ||
         column == ReportColumn::statistics || column == ReportColumn::allreduce;
}

// Returns words such as "backward filter" or "gradient reductions".
std::string words_of(OperationPart part) {
  if (part == OperationPart::update) return "updates";
  if (serves_bucket(part)) return "gradient reductions";
  if (part == OperationPart::load) return "loading";
  std::string text(to_text(column_of(part)));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// Returns the words for an operation of a plan that runs chains by multigrid.
std::string words_beside_chains(const Plan& plan, const PredictedOperation& operation) {
  const OperationPart part = part_of(operation);
  if (serves_bucket(part)) return words_of(part);
  if (is_message(column_of(part))) return "messages";
  const std::optional<LayerIndex> layer = plan.network.index_of(operation.place.layer);
  if (!layer || !is_by_multigrid(plan, *layer)) return "other layers";
  return operation.place.level.value_or(0) > 0 ? "coarse levels" : "finest level";
}

std::string beside_in_order(const PartitionedStep& step, const PartitionedStep& in_order) {
  const std::string too_large = step.fits ? "" : " (too large)";
  return std::to_string(step.partitions) + ": " + fixed(in_order.step_s / step.step_s, 2) +
         too_large;
}

std::string ranks_text(std::int64_t ranks) {
  return counted(ranks, "rank");
}

// Returns text such as "from 3 ranks on" or "with 3 to 8 ranks". Where no step is faster than in
// order, it is "not up to 2 ranks".
std::string break_even(const std::vector<PartitionedStep>& steps, std::int64_t samples) {
  const auto is_faster = [&](const PartitionedStep& step) {
    return step.fits && step.step_s < steps.front().step_s;
  };
  const auto first = std::find_if(steps.begin() + 1, steps.end(), is_faster);
  const auto ranks = [&](auto step) { return samples * step->partitions; };
  if (first == steps.end()) return "not up to " + ranks_text(ranks(steps.end() - 1));
  const auto end = std::find_if_not(first, steps.end(), is_faster);
  if (end == steps.end()) return "from " + ranks_text(ranks(first)) + " on";
  return "with " + std::to_string(ranks(first)) + " to " + ranks_text(ranks(end - 1));
}

}  // namespace

std::string limits_text(const Plan& plan) {
  std::map<std::string, double> seconds;
  double all_s = 0.0;
  for (const PredictedOperation& operation : plan.prediction.operations) {
    const double critical_s = operation.critical_s;
    if (critical_s == 0.0) continue;
    const std::string words = plan.multigrid.empty() ? words_of(part_of(operation))
                                                     : words_beside_chains(plan, operation);
    seconds[words] += critical_s;
    all_s += critical_s;
  }
  std::vector<std::pair<std::string, double>> most_first(seconds.begin(), seconds.end());
  std::stable_sort(most_first.begin(), most_first.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  std::string text;
  for (const auto& [what, share_s] : most_first) {
    if (share_s < 0.01 * all_s) break;
    text += (text.empty() ? "" : ", ") + what + ' ' + percent(share_s / all_s);
  }
  return text;
}

std::string break_even_text(const Partitioning& partitioning) {
  const std::vector<PartitionedStep>& steps = partitioning.steps;
  if (steps.size() < 2) return "";
  const PartitionedStep& in_order = steps.front();
  const std::int64_t samples = partitioning.sample_ranks;
  std::string text = "faster than in order on " + ranks_text(samples);
  if (!in_order.fits) text += " (too large)";
  text += ' ' + break_even(steps, samples);
  text += samples == 1 ? "" : ", " + std::to_string(samples) + " for each partition";
  text += "; by partitions, times as fast: ";
  for (std::size_t i = 1; i < steps.size(); ++i) {
    text += (i == 1 ? "" : ", ") + beside_in_order(steps[i], in_order);
  }
  return text;
}

}  // namespace cnnplan
