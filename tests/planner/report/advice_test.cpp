// Tests of planner/report/advice.
#include "planner/report/advice.hpp"

#include <doctest/doctest.h>

#include "tests/planner/report/small_plan.hpp"

namespace cnnplan {
namespace {

constexpr const char* command =
    "mpirun -n 2 cnnplan profile small.json --ranks 2 --batch 4 --input 16x16";

// Of 2 ranks on each of `nodes` nodes, measured.
Platform measured_platform(int nodes) {
  Platform platform;
  platform.measured = true;
  platform.levels = {{.name = "socket", .ranks_per_group = 1},
                     {.name = "node", .ranks_per_group = 2},
                     {.name = "cluster", .ranks_per_group = 2 * nodes}};
  return platform;
}

Profile profile_of(int busy_ranks) {
  Profile profile;
  profile.fingerprint.busy_ranks = busy_ranks;
  profile.kernels[KernelSpec{}] = {.repetitions = 10};
  return profile;
}

Plan measured_plan() {
  Plan plan = small_plan();
  plan.prediction.estimated_kernels.clear();
  return plan;
}

}  // namespace

TEST_CASE("profile_advice: the plan's own ranks, batch, size, and the network file it came from") {
  Plan plan = small_plan();
  CHECK(profile_advice(plan) == command);
  plan.inputs = {{.file = "my-network.json", .sha256 = ""}, {.file = "profile.json", .sha256 = ""}};
  plan.network = with_input_size(plan.network, {3, 8, 16});
  plan.ranks = 4;
  CHECK(profile_advice(plan) ==
        "mpirun -n 4 cnnplan profile my-network.json --ranks 4 --batch 4 --input 3x8x16");
}

TEST_CASE("assumptions: nothing to say where all was measured as the plan runs") {
  CHECK(assumptions(measured_plan(), measured_platform(1), profile_of(2)).empty());
  CHECK(assumptions(measured_plan(), measured_platform(2), profile_of(2)).empty());
  CHECK(assumptions(measured_plan(), measured_platform(1), Profile{}).empty());
}

TEST_CASE("assumptions: links of nobody, or of fewer ranks") {
  Plan plan = measured_plan();
  CHECK(assumptions(plan, default_platform(2), Profile{}) ==
        "links: assumed figures; measure them with: mpirun -n 2 cnnplan profile --links\n");
  plan.ranks = 4;
  CHECK(assumptions(plan, measured_platform(1), Profile{}) ==
        "links: measured with 2 ranks, the plan has 4; measure them with: "
        "mpirun -n 4 cnnplan profile --links\n");
}

TEST_CASE("assumptions: kernels that are estimated") {
  Plan plan = small_plan();
  CHECK(assumptions(plan, measured_platform(1), profile_of(2)) ==
        std::string("1 kernel: estimated; measure them with: ") + command + '\n');
  plan.prediction.estimated_kernels.push_back("another");
  CHECK(assumptions(plan, measured_platform(1), profile_of(2)).substr(0, 9) == "2 kernels");
}

TEST_CASE("assumptions: kernels timed with another number of busy ranks on a node") {
  CHECK(assumptions(measured_plan(), measured_platform(1), profile_of(1)) ==
        std::string("kernels: timed with 1 busy rank on a node, the plan has 2; time them in a new "
                    "profile with: ") +
            command + '\n');
  // Of 4 ranks, 2 share a node.
  Plan plan = measured_plan();
  plan.ranks = 4;
  CHECK(assumptions(plan, measured_platform(2), profile_of(2)).empty());
  CHECK_FALSE(assumptions(plan, measured_platform(2), profile_of(4)).empty());
  // Without a node, the innermost level counts.
  Platform platform = measured_platform(1);
  platform.levels[1].name = "board";
  CHECK(assumptions(measured_plan(), platform, profile_of(1)).empty());
}

}  // namespace cnnplan
