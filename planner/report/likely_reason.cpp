// Finds out why a prediction is far off: another device, estimates, a disturbed machine, or a
// layer.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/platform/same_device.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/comparison_rows.hpp"
#include "planner/report/report_column.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// A smaller error of the step needs no reason.
constexpr double small_error = 0.05;
// Estimates that take less of the step explain little.
constexpr double least_share = 0.1;
// Steps of a quiet machine differ by less than this factor.
constexpr double steady_factor = 1.3;

// True if the measured step is in the range of the prediction, or next to it.
bool is_as_predicted(const Prediction& prediction, double measured_s) {
  const double low_s = prediction.low_s > 0.0 ? prediction.low_s : prediction.step_s;
  const double high_s = std::max(prediction.high_s, prediction.step_s);
  const bool is_in_range = low_s <= measured_s && measured_s <= high_s;
  return is_in_range || std::fabs(prediction.step_s - measured_s) <= small_error * measured_s;
}

// Returns the share of the predicted step that estimated kernels take on its critical path, or the
// share of the other operations with estimated times.
double estimated_share(const Prediction& prediction, bool kernels) {
  double seconds = 0.0;
  for (const PredictedOperation& operation : prediction.operations) {
    const bool counts = operation.estimated && runs_kernels(part_of(operation)) == kernels;
    if (counts) seconds += operation.critical_s;
  }
  return seconds / prediction.step_s;
}

std::string estimates_text(const Plan& plan, const std::string& plan_file) {
  const Prediction& prediction = plan.prediction;
  const double kernels = estimated_share(prediction, true);
  if (kernels >= least_share) {
    return "kernels that take " + percent(kernels) +
           " of the predicted step are estimated, not measured; time them with " +
           missing_command(profile_start(plan), plan_file);
  }
  const double links = estimated_share(prediction, false);
  if (links < least_share) return {};
  return "messages, sums and copies that take " + percent(links) +
         " of the predicted step are estimated, not measured; time links with " +
         links_advice(plan.ranks);
}

std::string disturbance_text(const Prediction& prediction, const Measured& step) {
  if (!(step.min_s > 0.0) || step.max_s <= steady_factor * step.min_s) return {};
  const double error = std::fabs(prediction.step_s - step.min_s) / step.min_s;
  return "the machine was disturbed, since steps took " + duration(step.min_s) + " to " +
         duration(step.max_s) + "; the prediction is " + percent(error) + " off the fastest step";
}

// Names what operations of this part and this group (group_of) do.
std::string name_of(const std::string& group, OperationPart part) {
  if (part == OperationPart::update) return "the updates of weights";
  if (part == OperationPart::weight_allgather) return "the gathers of weights";
  if (serves_bucket(part)) return "the sums of gradients";
  if (part == OperationPart::load) return "the samples that " + group + " reads";
  return (runs_kernels(part) ? "the kernels of " : "the communication of ") + group;
}

// Returns the kernels and the communication of each layer, with predicted and measured times.
std::vector<ComparedTime> parts_of(const Prediction& prediction, const RunReport& run) {
  std::unordered_map<std::string, double> measured;
  for (const MeasuredOperation& operation : run.operations) {
    measured[operation.id] = operation.time.median_s;
  }
  std::map<std::string, ComparedTime> parts;
  for (const PredictedOperation& operation : prediction.operations) {
    const auto found = measured.find(operation.id);
    if (found == measured.end()) continue;
    const std::string name = name_of(group_of(operation), part_of(operation));
    ComparedTime& part = parts.try_emplace(name, ComparedTime{name, 0.0, 0.0}).first->second;
    part.predicted_s += operation.predicted_s;
    part.measured_s += found->second;
  }
  std::vector<ComparedTime> list;
  for (auto& [name, part] : parts) list.push_back(std::move(part));
  return list;
}

LikelyReason largest_difference(const Prediction& prediction, const RunReport& run) {
  std::vector<ComparedTime> parts = parts_of(prediction, run);
  ComparedTime rest = rest_of({"", prediction.step_s, run.step.median_s}, parts);
  rest.name = "the " + rest.name;
  const bool has_rest = means_something(rest);
  if (has_rest) parts.push_back(std::move(rest));
  const auto off_s = [](const ComparedTime& part) {
    return std::fabs(part.predicted_s - part.measured_s);
  };
  const auto most = std::max_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
    return off_s(a) < off_s(b);
  });
  if (most == parts.end()) return {};
  return {.text = most->name + ", predicted as " + duration(most->predicted_s) +
                  " and measured as " + duration(most->measured_s),
          .is_rest_of_step = has_rest && most == std::prev(parts.end())};
}

bool has_parts(const Prediction& prediction) {
  return std::all_of(prediction.operations.begin(),
                     prediction.operations.end(),
                     [](const PredictedOperation& one) { return one.place.part.has_value(); });
}

}  // namespace

LikelyReason likely_reason(const Plan& plan, const RunReport& run, const ComparedFiles& files) {
  const Prediction& prediction = plan.prediction;
  if (!(prediction.step_s > 0.0) || !(run.step.median_s > 0.0)) return {};
  const std::string model =
      other_model({.fingerprint = plan.device, .inputs = plan.inputs}, run.device);
  if (!model.empty()) {
    return {.text = "planned for " + model + ", ran on " + model_of(run.device) +
                    ", so predicted times do not apply"};
  }
  if (is_as_predicted(prediction, run.step.median_s) || !has_parts(prediction)) return {};
  std::string text = estimates_text(plan, files.plan);
  if (text.empty()) text = disturbance_text(prediction, run.step);
  return text.empty() ? largest_difference(prediction, run) : LikelyReason{.text = text};
}

}  // namespace cnnplan
