// Tests that plans are placed on nodes as they were priced.
#include "planner/launch/placement.hpp"

#include <doctest/doctest.h>

#include "planner/network/network.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

Network small_network() {
  Convolution convolution;
  convolution.filters = 8;
  return Network("small",
                 {{"data", {}, Input{.channels = 3, .size = {1, 16, 16}}},
                  {"conv1", {"data"}, convolution},
                  {"pool", {"conv1"}, GlobalPooling{}},
                  {"loss", {"pool"}, SoftmaxCrossEntropy{}}});
}

// Returns a plan on this mesh, as priced with this number of ranks on a node.
Plan plan_on(const std::string& mesh, int ranks_per_node) {
  Plan plan = uniform_plan(small_network(), 64, parse_mesh(mesh));
  plan.ranks_per_node = ranks_per_node;
  return plan;
}

Platform platform_with(const std::vector<Level>& levels, const std::string& device) {
  return {.device = device, .levels = levels};
}

const Level node{.name = "node", .ranks_per_group = 4};
const Level cluster{.name = "cluster", .ranks_per_group = 64};

}  // namespace

TEST_CASE("placement: the plan says how many ranks share a node") {
  const Placement placement = placement_of(plan_on("n4h4", 8), std::nullopt, "plan.json");
  CHECK(placement == Placement{.ranks = 16, .ranks_per_node = 8});
  CHECK(placement.nodes() == 2);
}

TEST_CASE("placement: a platform without links between nodes has one node") {
  const Plan plan = plan_on("n8", 4);
  CHECK(placement_of(plan, platform_with({node}, "CPU"), "plan.json").nodes() == 1);
  CHECK(placement_of(plan, platform_with({node, cluster}, "CPU"), "plan.json").nodes() == 2);
}

TEST_CASE("placement: one rank on each node if the platform has links between nodes only") {
  const Placement placement =
      placement_of(plan_on("n8", 1), platform_with({cluster}, "CPU"), "plan.json");
  CHECK(placement.nodes() == 8);
}

TEST_CASE("placement: ranks that do not fill nodes are refused") {
  const InputProblem problem =
      problem_of([] { placement_of(plan_on("n12", 8), std::nullopt, "plans/p.json"); });
  CHECK(problem.file == "plans/p.json");
  CHECK(problem.pointer == "/ranks");
  CHECK(problem.value == "12");
  CHECK(problem.allowed.find("a multiple of 8") == 0);
  CHECK(problem.allowed.find("--ranks 8 or --ranks 16") != std::string::npos);
}

TEST_CASE("placement: a plan is warned of whose ranks do not fill nodes") {
  CHECK(unfilled_nodes_text(plan_on("n12", 8)) ==
        "12 ranks do not fill nodes of 8; cnnplan launch takes 8 or 16");
  CHECK(unfilled_nodes_text(plan_on("n16", 8)) == "");
  CHECK(unfilled_nodes_text(plan_on("n4", 8)) == "");
}

TEST_CASE("placement: a rank has a core for each of its threads") {
  Plan plan = plan_on("n4", 4);
  const Platform threaded = platform_with({node}, "AMD EPYC 9B14, 2 threads");
  CHECK(placement_of(plan, threaded, "").threads_per_rank == 2);
  plan.device = "AMD EPYC 9B14, 12 threads; onednn (oneDNN 2.6.3); 4 busy ranks";
  const Placement placement = placement_of(plan, threaded, "");
  CHECK(placement.threads_per_rank == 12);
  CHECK(placement.cores_per_rank == 12);
  CHECK(placement.gpus_per_node == 0);
}

TEST_CASE("placement: a plan for GPUs has one for each rank") {
  Plan plan = plan_on("n8", 4);
  plan.device_kind = DeviceKind::gpu;
  CHECK(placement_of(plan, std::nullopt, "").gpus_per_node == 4);
  CHECK(placement_of(plan, std::nullopt, "").cores_per_rank == 2);
  plan.device_kind.reset();
  CHECK(placement_of(plan, std::nullopt, "").gpus_per_node == 0);
  Platform estimated = platform_with({node, cluster}, "NVIDIA H100");
  estimated.kernels = KernelRates{};
  CHECK(placement_of(plan, estimated, "").gpus_per_node == 4);
  plan.device_kind = DeviceKind::cpu;
  CHECK(placement_of(plan, estimated, "").gpus_per_node == 0);
}

TEST_CASE("placement: neighbours along the last axes share a node") {
  const std::string most = "Most layers are split as n2h2w4. Neighbours along ";
  CHECK(neighbours_text(plan_on("n2h2w4", 8), 8) ==
        most + "h and w share a node, and neighbours along n may be on different nodes.");
  CHECK(neighbours_text(plan_on("n2h2w4", 8), 4) ==
        most + "w share a node, and neighbours along n and h may be on different nodes.");
  CHECK(neighbours_text(plan_on("n2h2w4", 1), 1) == most + "n, h and w may be on different nodes.");
  CHECK(neighbours_text(plan_on("n2h2w4", 8), 16) == "All ranks share a node.");
  CHECK(neighbours_text(plan_on("1", 1), 1) == "One rank computes all.");
}

TEST_CASE("placement: the mesh of most layers counts") {
  Plan plan = plan_on("n2h4", 4);
  plan.layers[LayerIndex(1)].mesh = parse_mesh("h4n2");
  CHECK(contains(neighbours_text(plan, 4), "as n2h4. Neighbours along h share"));
}

}  // namespace cnnplan::test
