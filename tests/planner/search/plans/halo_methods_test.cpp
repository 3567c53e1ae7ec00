// Tests of planner/search/plans/halo_methods, by what solve finds.
#include "planner/search/plans/halo_methods.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan::test {
namespace {

// One large sample by rows, over slow links that stop no kernels.
SolveRequest request_for(double overlap_efficiency) {
  SolveRequest request{.network = read_network("configs/networks/mesh-2k.json")};
  request.ranks = 4;
  request.platform = read_platform("configs/platforms/lassen.json");
  request.platform.overlap_efficiency = overlap_efficiency;
  for (Segment& segment : request.platform.levels.front().segments) {
    segment.beta_s_per_byte *= 20;
  }
  request.overlap = true;
  return request;
}

int cut_layers(const Plan& plan) {
  return static_cast<int>(
      std::count_if(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
        return layer.halo == HaloMethod::interior_strips;
      }));
}

double step_s(const Plan& plan, const SolveRequest& request) {
  const KernelCosts kernels(request.profile, request.platform);
  return predicted_step_s(plan, PriceList(request.platform, kernels));
}

}  // namespace

TEST_CASE("add_interior_strips: where halos take long and may be hidden, the step is shorter") {
  const SolveRequest request = request_for(1.0);
  const Plan plan = solve(request);
  CHECK(cut_layers(plan) > 0);
  CHECK(plan.prediction.step_s < step_s(exchanging_first(plan), request));
  CHECK(plan.prediction.bound_s <= plan.prediction.step_s);
  CHECK_FALSE(plan.prediction.margins.empty());
  CHECK(parse_plan(to_json(plan), "plan.json").layers == plan.layers);
}

TEST_CASE("add_interior_strips: nowhere where nothing is hidden") {
  CHECK(cut_layers(solve(request_for(0.0))) == 0);
  SolveRequest in_line = request_for(1.0);
  in_line.overlap = false;
  CHECK(cut_layers(solve(in_line)) == 0);
}

TEST_CASE("add_interior_strips: only with kernels of the profile where these alone are wanted") {
  SolveRequest request = request_for(1.0);
  request.only_profiled = true;
  CHECK(cut_layers(solve(request)) == 0);
}

}  // namespace cnnplan::test
