// Searches for plans, and predicts plans on other machines, for the public header.
#include "planner/search/solve.hpp"

#include <string>
#include <utility>
#include <vector>

#include "planner/api/checks.hpp"
#include "planner/api/errors.hpp"
#include "planner/api/values.hpp"
#include "planner/base/error.hpp"
#include "planner/base/input_file.hpp"
#include "planner/cost/kernels.hpp"
#include "planner/plan/operation_part.hpp"
#include "planner/predict/predict.hpp"
#include "planner/predict/price.hpp"
#include "planner/search/candidates/request_check.hpp"
#include "planner/search/rivals.hpp"

namespace cnnplan::api {
inline namespace v1 {
namespace {

cnnplan::Precision internal(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return cnnplan::Precision::fp32;
    case Precision::fp64:
      return cnnplan::Precision::fp64;
    case Precision::tf32:
      return cnnplan::Precision::tf32;
    case Precision::bf16:
      return cnnplan::Precision::bf16;
    case Precision::fp16:
      return cnnplan::Precision::fp16;
  }
  throw InputError({.file = "--precision",
                    .pointer = "",
                    .value = std::to_string(static_cast<int>(precision)),
                    .allowed = "an enumerator of Precision"});
}

SolveRequest internal(const Network& network,
                      const Platform& platform,
                      const Profile& profile,
                      const Request& request) {
  require_ranks("--ranks", request.ranks);
  SolveRequest made{.network = network.value().network,
                    .ranks = request.ranks,
                    .batch = request.batch,
                    .precision = internal(request.precision),
                    .platform = platform.value().platform,
                    .profile = profile.value().profile,
                    .axes = parse_axes(request.axes),
                    .sharded_update = request.sharded_update,
                    .overlap = request.overlap};
  check_batch(made.network, made.batch, made.ranks);
  if (!request.uniform.empty()) {
    made.uniform = parse_uniform(made.network, made.batch, made.ranks, request.uniform);
  }
  return made;
}

std::vector<InputFile> files_of(const Network& network,
                                const Platform& platform,
                                const Profile& profile) {
  std::vector<InputFile> files{network.value().file};
  if (platform.value().file) files.push_back(*platform.value().file);
  if (profile.value().file) files.push_back(*profile.value().file);
  return files;
}

Operation public_operation(const PredictedOperation& operation) {
  const OperationPlace& place = operation.place;
  return {.id = operation.id,
          .part = place.part ? std::string(to_text(*place.part)) : "",
          .layer = place.layer,
          .predicted_s = operation.predicted_s,
          .critical_s = operation.critical_s,
          .estimated = operation.estimated};
}

Prediction public_prediction(const cnnplan::Prediction& prediction) {
  Prediction made{.step_s = prediction.step_s,
                  .low_s = prediction.low_s,
                  .high_s = prediction.high_s,
                  .exposed_communication_s = prediction.exposed_communication_s,
                  .memory_bytes = prediction.memory.total_bytes(),
                  .available_bytes = prediction.memory.available_bytes,
                  .estimated_kernels = prediction.estimated_kernels,
                  .operations = {}};
  for (const PredictedOperation& operation : prediction.operations) {
    made.operations.push_back(public_operation(operation));
  }
  return made;
}

}  // namespace

Plan solve(const Network& network,
           const Platform& platform,
           const Profile& profile,
           const Request& request) {
  return with_public_errors([&] {
    require_same_device(platform, profile);
    const SolveRequest made = internal(network, platform, profile, request);
    cnnplan::Plan plan = with_rivals(solution_of(made), made);
    plan.inputs = files_of(network, platform, profile);
    return handle_to(PlanValue{std::move(plan)});
  });
}

Prediction prediction_of(const Plan& plan) {
  return with_public_errors([&] { return public_prediction(plan.value().plan.prediction); });
}

Prediction predict(const Plan& plan, const Platform& platform, const Profile& profile) {
  return with_public_errors([&] {
    require_same_device(platform, profile);
    const cnnplan::Platform& machine = platform.value().platform;
    const KernelCosts kernels(profile.value().profile, machine);
    return public_prediction(cnnplan::predict(plan.value().plan, PriceList(machine, kernels)));
  });
}

}  // namespace v1
}  // namespace cnnplan::api
