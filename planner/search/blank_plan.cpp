// Copies the settings of a request into a plan.
#include "planner/search/blank_plan.hpp"

#include <utility>

#include "planner/platform/same_device.hpp"
#include "planner/search/plans/allreduce_choice.hpp"

namespace cnnplan {

Plan blank_plan(const SolveRequest& request) {
  Plan plan = uniform_plan(request.network, request.batch, Mesh({{Axis::r, request.ranks}}));
  plan.precision = request.precision;
  plan.overlap = request.overlap;
  plan.sample_blocks = request.sample_blocks;
  plan.bucket_bytes = request.bucket_bytes;
  plan.device =
      request.profile.fingerprint.device.empty() ? "" : to_text(request.profile.fingerprint);
  plan.device_kind = device_kind_of(request.platform, request.profile);
  for (LayerPlan& layer : plan.layers) layer.statistics = request.statistics;
  return request.recompute == Recompute::always ? recomputed(std::move(plan)) : plan;
}

Plan blank_plan_with_reductions(const SolveRequest& request) {
  Plan plan = blank_plan(request);
  plan.sharded_update = request.sharded_update;
  plan.optimizer_state_bytes = request.optimizer_state_bytes;
  choose_allreduce(plan, request.platform);
  if (request.allreduce) set_gradient_allreduce(plan, *request.allreduce);
  return plan;
}

}  // namespace cnnplan
