// Checks that plan files hold whole rivals, whatever their names are.
#include "planner/search/rivals.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/cost/kernels.hpp"
#include "planner/plan/rival_plan.hpp"
#include "planner/predict/predict.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

struct RivalCase {
  const char* network;
  std::int64_t batch;
  int ranks;
  bool multigrid = false;
  std::optional<AllreduceAlgorithm> allreduce{};
};

SolveRequest request_for(const RivalCase& one) {
  SolveRequest request{
      .network = read_network("configs/networks/" + std::string(one.network) + ".json"),
      .ranks = one.ranks,
      .batch = one.batch,
      .platform = default_platform(one.ranks),
      .profile = {},
      .allreduce = one.allreduce};
  if (one.multigrid) request.multigrid = MultigridRequest{};
  return request;
}

bool is_mesh(const std::string& name) {
  return std::none_of(name.begin(), name.end(), [](char letter) { return letter == ' '; });
}

}  // namespace

TEST_CASE("with_rivals: a plan file holds the layers of every rival") {
  bool any_is_no_mesh = false;
  for (const RivalCase& one :
       {RivalCase{.network = "lenet", .batch = 8, .ranks = 4},
        RivalCase{.network = "lenet", .batch = 2, .ranks = 4},
        RivalCase{.network = "lenet",
        .batch = 64,
        .ranks = 16,
        .allreduce = AllreduceAlgorithm::recursive_doubling},
        RivalCase{.network = "residual-64", .batch = 4, .ranks = 8, .multigrid = true}}) {
    CAPTURE(one.network);
    CAPTURE(one.ranks);
    const SolveRequest request = request_for(one);
    const Plan written = with_rivals(solution_of(request), request);
    const Plan plan = parse_plan(to_json(written), "plan.json");
    CHECK(plan.prediction.rivals == written.prediction.rivals);
    const KernelCosts kernels(request.profile, request.platform);
    const PriceList prices(request.platform, kernels);
    REQUIRE(!plan.prediction.rivals.empty());
    for (const Rival& rival : plan.prediction.rivals) {
      CAPTURE(rival.plan);
      any_is_no_mesh = any_is_no_mesh || !is_mesh(rival.plan);
      const std::optional<Plan> made = plan_of_rival(plan, rival);
      REQUIRE(made.has_value());
      CHECK(predicted_step_s(*made, prices) == relative(rival.step_s, 1e-9));
    }
  }
  CHECK(any_is_no_mesh);
}

TEST_CASE("plan_of_rival: plan files of older versions have no settings") {
  const Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("n2"));
  CHECK(!plan_of_rival(plan, {.plan = "n2", .ranks = 2, .step_s = 1.0, .parts = {}}));
}

}  // namespace cnnplan::test
