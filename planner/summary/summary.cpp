// Collects the values of a summary from the fields of a plan.
#include "planner/summary/summary.hpp"

#include "planner/base/standard_stream.hpp"
#include "planner/network/layer_parameters.hpp"
#include "planner/plan/was_searched.hpp"
#include "planner/report/advice.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

std::string name_of(const Network& network, const LayerGroup& group) {
  const std::string& first = network.layer(group.first).name;
  return group.first == group.last ? first : first + " to " + network.layer(group.last).name;
}

std::optional<DataParallelRatio> ratio_of(const Prediction& prediction) {
  const auto index = data_parallel_rival(prediction);
  if (!index || !(prediction.step_s > 0.0)) return std::nullopt;
  const Rival& rival = prediction.rivals[*index];
  return DataParallelRatio{.ranks = rival.ranks,
                           .step_s = rival.step_s,
                           .ratio = rival.step_s / prediction.step_s,
                           .memory_bytes = rival.memory_bytes};
}

// Images have one depth, more than one row, and at most a few channels.
bool has_images(const Network& network) {
  const Shape sample = network.output_shape(LayerIndex(0), 1);
  return sample[Dim::d] == 1 && sample[Dim::h] > 1;
}

}  // namespace

Summary summary_of(const Plan& plan, const std::string& plan_file) {
  const Prediction& prediction = plan.prediction;
  Summary summary{.network = plan.network.name(),
                  .ranks = plan.ranks,
                  .batch = plan.batch,
                  .precision = std::string(to_text(plan.precision)),
                  .is_data_parallel = is_data_parallel(plan),
                  .was_searched = was_searched(prediction),
                  .overlap = plan.overlap,
                  .has_images = has_images(plan.network),
                  .groups = layer_groups(plan),
                  .group_names = {},
                  .counts = split_counts(plan),
                  .step_s = prediction.step_s,
                  .low_s = prediction.low_s,
                  .high_s = prediction.high_s,
                  .memory_bytes = prediction.memory.total_bytes(),
                  .available_bytes = prediction.memory.available_bytes,
                  .any_estimated = !prediction.estimated_kernels.empty(),
                  .ratio = ratio_of(prediction),
                  .too_large = {},
                  .reason = reason_of(plan),
                  .confidence = confidence_of(plan),
                  .rivals = prediction.rivals,
                  .measured_s = {},
                  .profile_start = profile_start(plan),
                  .plan_file = is_stream(plan_file) ? "" : plan_file};
  for (const LayerGroup& group : summary.groups) {
    summary.group_names.push_back(name_of(plan.network, group));
  }
  if (summary.step_s > 0.0) {
    summary.samples_per_s = static_cast<double>(plan.batch) / summary.step_s;
  }
  if (const auto large = too_large_rival(prediction)) summary.too_large = prediction.rivals[*large];
  return summary;
}

}  // namespace cnnplan
