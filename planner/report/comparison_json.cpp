// Writes a comparison as a JSON document.
#include "planner/report/comparison_json.hpp"

namespace cnnplan {
namespace {

OrderedJson to_json(const std::vector<UnmatchedOperation>& operations) {
  OrderedJson list = OrderedJson::array();
  for (const UnmatchedOperation& operation : operations) {
    list.push_back({{"id", operation.id}, {"seconds", operation.seconds}});
  }
  return list;
}

OrderedJson to_json(const std::vector<ComparedTime>& times, const char* name) {
  OrderedJson list = OrderedJson::array();
  for (const ComparedTime& time : times) {
    list.push_back(
        {{name, time.name}, {"predicted_s", time.predicted_s}, {"measured_s", time.measured_s}});
  }
  return list;
}

}  // namespace

OrderedJson comparison_document(const Comparison& comparison) {
  OrderedJson document = new_document("comparison");
  document["network"] = comparison.network;
  document["ranks"] = comparison.ranks;
  document["batch"] = comparison.batch;
  document["step"] = {{"predicted_s", comparison.step.predicted_s},
                      {"measured_s", comparison.step.measured_s},
                      {"min_s", comparison.measured_step.min_s},
                      {"max_s", comparison.measured_step.max_s},
                      {"count", comparison.measured_step.count}};
  document["memory"] = {{"predicted_bytes", comparison.predicted_memory_bytes},
                        {"predicted_process", comparison.predicted_process},
                        {"allocated_bytes", comparison.allocated_memory_bytes},
                        {"process_peak_bytes", comparison.process_peak_bytes}};
  document["layers"] = to_json(comparison.groups, "name");
  document["operations"] = to_json(comparison.operations, "id");
  document["only_predicted"] = to_json(comparison.only_predicted);
  document["only_measured"] = to_json(comparison.only_measured);
  document["mean_error"] = comparison.mean_error;
  document["weighted_mean_error"] = comparison.weighted_mean_error;
  document["max_error"] = comparison.max_error;
  if (!comparison.max_error_group.empty()) document["max_error_layer"] = comparison.max_error_group;
  const std::string& reason = comparison.reason.text;
  if (!reason.empty()) document["likely_reason"] = reason;
  for (const auto& [key, value] : comparison.environment) document["environment"][key] = value;
  return document;
}

std::string to_json(const Comparison& comparison) {
  return write_json(comparison_document(comparison));
}

}  // namespace cnnplan
