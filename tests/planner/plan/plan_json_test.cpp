// Tests refusals of plan files, the network inside them, and round trips.
#include <string>

#include <doctest/doctest.h>

#include "planner/network/enumerators.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

KernelFamily random_family(RandomValues& random) {
  return {.kind = random.enumerator<KernelKind>(),
          .phase = random.enumerator<KernelPhase>(),
          .precision = random.enumerator<Precision>(),
          .algorithm = random.enumerator<KernelAlgorithm>()};
}

TEST_CASE("parse_plan: refusals name pointer, value and what is allowed") {
  check_refusals(
      to_json(sample_plan()),
      parse_plan,
      {
          {"cnnplan.plan/2", "cnnplan.run/2", "/schema", "run/2", "plan/2\" or \"cnnplan.plan/1"},
          {"cnnplan.plan/2", "cnnplan.plan/3", "/schema", "plan/3", "plan/2"},
          {"\"ranks\": 4", "\"ranks\": 0", "/ranks", "0", "an integer from 1 to 1048576"},
          {"\"ranks\": 4", "\"ranks\": 1048577", "/ranks", "1048577", "from 1 to 1048576"},
          {"\"ranks\": 4", "\"ranks\": 2", "/layers/0/mesh", "\"n2h2\"", "a mesh of 2 ranks"},
          {"\"ranks\": 4,", "", "/ranks", "nothing", "from 1 to 1048576"},
          {"\"batch\": 6", "\"batch\": 4294967296", "/batch", "4294967296", "to 2147483647"},
          {"\"bucket_bytes\": 1048576", "\"bucket_bytes\": 0", "/bucket_bytes", "0", "from 1"},
          {"\"fp64\"",
           "\"fp8\"",
           "/precision",
           "\"fp8\"",
           "\"fp32\", \"fp64\", \"tf32\", \"bf16\", \"fp16\""},
          {"\"gradient_allreduce\": \"library\"",
           "\"gradient_allreduce\": \"rabenseifner\", \"sharded_update\": true",
           "/sharded_update",
           "rabenseifner",
           "\"ring\" or \"library\""},
          {"\"gradient_allreduce\": \"library\"",
           "\"gradient_allreduce\": \"nccl\"",
           "/gradient_allreduce",
           "\"nccl\"",
           "\"hierarchical\", \"library\""},
          {"\"ranks_per_node\": 2", "\"ranks_per_node\": 0", "/ranks_per_node", "0", "from 1 to"},
          {"\"mesh\": \"w4\"", "\"mesh\": \"w4w1\"", "/layers/1/mesh", "", "at most once"},
          {"\"mesh\": \"w4\"", "\"mesh\": \"q4\"", "/layers/1/mesh", "q4", "axes of n c d h w r"},
          {"\"mesh\": \"w4\"", "\"mesh\": 4", "/layers/1/mesh", "4", "a string"},
          {"\"name\": \"conv\",\n      \"mesh\"",
           "\"name\": \"cnov\", \"mesh\"",
           "/layers/1/name",
           "\"cnov\"",
           "\"conv\""},
          {"\"statistics\": \"global\"",
           "\"statistics\": \"all\"",
           "/layers/2/statistics",
           "\"all\"",
           "\"local\", \"spatial\", \"global\""},
          {"{\"name\": \"relu\", \"mesh\"",
           "{\"name\": \"relu\", \"statistics\": \"local\", \"mesh\"",
           "/layers/3/statistics",
           "\"local\"",
           "batch norms only"},
          {"{\"name\": \"relu\", \"mesh\"",
           "{\"name\": \"relu\", \"algorithms\": {}, \"mesh\"",
           "/layers/3/algorithms",
           "an object",
           "convolutions and fully connected layers only"},
          {"\"forward\": \"winograd\"",
           "\"forward\": \"fft\"",
           "/layers/1/algorithms/forward",
           "\"fft\"",
           "\"direct\", \"winograd\""},
          {"\"forward\": \"winograd\"",
           "\"update\": \"direct\"",
           "/layers/1/algorithms/update",
           "unknown key",
           "forward, backward_data, backward_filter"},
          {"\"step_s\": 0.25", "\"step_s\": -0.25", "/prediction/step_s", "-0.25", "from 0"},
          {"\"predicted_s\": 0.125",
           "\"predicted\": 0.125",
           "/prediction/operations/0/predicted",
           "unknown key",
           "predicted_s"},
          {"\"part\": \"forward\",",
           "",
           "/prediction/operations/0/part",
           "nothing",
           "one of \"load\", \"forward\""},
          {"\"layer\": \"conv\",", "", "/prediction/operations/0/layer", "nothing", "a string"},
          {"\"part\": \"gradient_reduction\"",
           "\"layer\": \"conv\", \"part\": \"gradient_reduction\"",
           "/prediction/operations/2/layer",
           "\"conv\"",
           "serves a gradient bucket"},
          {"\"level\": 1", "\"level\": 17", "/prediction/operations/1/level", "17", "0 to 16"},
          {"\"step_s\": 0.25", "\"step_s\": 1e31", "/prediction/step_s", "1e+31", "to 1e+30"},
          {"\"buffers_bytes\": 3",
           "\"buffers_bytes\": 1152921504606846977",
           "/prediction/memory/buffers_bytes",
           "1152921504606846977",
           "to 1152921504606846976"},
          {"\"mesh\": \"w4\"",
           "\"mesh\": \"c4\"",
           "/layers/1/mesh",
           "\"c4 stationary_x\"",
           "stationary_y, since the convolution has groups"},
          {"\"stationary_x\"",
           "\"stationary_z\"",
           "/layers/1/channel_algorithm",
           "\"stationary_z\"",
           "\"stationary_y\", \"stationary_x\", \"stationary_w\""},
          {"\"statistics\": \"global\"",
           "\"channel_algorithm\": \"stationary_y\"",
           "/layers/2/channel_algorithm",
           "\"stationary_y\"",
           "on convolutions and fully connected layers only"},
          {"\"buffers_bytes\": 3",
           "\"buffers_bytes\": \"3\"",
           "/prediction/memory/buffers_bytes",
           "\"3\"",
           "an integer from 0"},
          {"\"max_bytes\": 65536",
           "\"max_bytes\": 1024",
           "/small_gradient_allreduces/1/max_bytes",
           "1024",
           "more than the 1024 before it"},
          {"\"mesh\": \"r4\"",
           "\"mesh\": \"r5\"",
           "/prediction/margins/1/changes/1/mesh",
           "\"r5\"",
           "a mesh of 4 ranks"},
          {"\"from\": \"hidden\"",
           "\"from\": \"conv\"",
           "/prediction/rivals/1/settings/layers/4/from",
           "\"conv\"",
           "a layer after the one of the entry before"},
          {"\"from\": \"data\"",
           "\"from\": \"conv\"",
           "/prediction/rivals/1/settings/layers/0/from",
           "\"conv\"",
           "the first layer of the network"},
          {"\"kernels\": 1",
           "\"kernels\": 2",
           "/prediction/estimated_families",
           "2 kernels",
           "the 1 kernels of estimated_kernels"},
          {"\"file\": \"network.json\"", "\"file\": \"\"", "/inputs/0/file", "\"\"", "not empty"},
          {"\"sha256\": \"", "\"sha256\": \"x", "/inputs/0/sha256", "\"x", "64 digits"},
          {"\"filters\": 8", "\"filters\": 0", "/network/layers/1/filters", "0", "from 1 to"},
          {"\"groups\": 2", "\"groups\": 3", "/network/layers/1/groups", "3", "a divisor"},
          {"cnnplan.network/1", "cnnplan.plan/1", "/network/schema", "plan/1", "network/1"},
      });
}

TEST_CASE("parse_plan: chains must exist in the network, and be split as chains may be") {
  check_refusals(
      to_json(sample_chain_plan()),
      parse_plan,
      {
          {"\"first\": \"b0\"", "\"first\": \"b9\"", "/multigrid/0/first", "\"b9\"", "a layer"},
          {"\"first\": \"b0\"",
           "\"first\": \"open\"",
           "/multigrid/0/last",
           "\"b4_add\"",
           "\"open\""},
          {"\"last\": \"b4_add\"", "\"last\": \"b4\"", "/multigrid/0/last", "\"b4\"", "an add"},
          {"\"coarsening\": 2", "\"coarsening\": 1", "/multigrid/0/coarsening", "1", "from 2"},
          {"\"levels\": 3", "\"levels\": 5", "/multigrid/0/levels", "5", "at most 4"},
          {"\"cycles\": 5", "\"cycles\": 0", "/multigrid/0/cycles", "0", "from 1 to 1000"},
          {"\"fcf\"", "\"cfc\"", "/multigrid/0/relaxation", "\"cfc\"", "\"f\", \"fcf\""},
          {"\"previous\"",
           "\"last\"",
           "/multigrid/0/first_guess",
           "\"last\"",
           "\"coarse\", \"previous\""},
          {"\"concurrency\": 4",
           "\"concurrency\": 129",
           "/multigrid/0/concurrency",
           "129",
           "from 1 to 128"},
          {"\"mesh\": \"n2l3\"", "\"mesh\": \"n3l2\"", "/layers/3/mesh", "\"n2l3\"", "one mesh"},
          {"\"stage\": 0", "\"stage\": 3", "/layers/2/stage", "3", "at most 2"},
          {"\"stage\": 0", "\"stage\": 1", "/layers/3/stage", "0", "not before"},
          {"{\"name\": \"open\", \"mesh\": \"r6\"",
           "{\"name\": \"open\", \"mesh\": \"r6\", \"stage\": 0",
           "/layers/1/stage",
           "0",
           "an axis l only"},
          {"{\"name\": \"loss\", \"mesh\": \"r6\"",
           "{\"name\": \"loss\", \"mesh\": \"l6\"",
           "/layers/13/mesh",
           "\"l6\"",
           "for some ranks alone"},
      });
}

TEST_CASE("parse_plan: the layers of a block are on the same ranks, and chains do not overlap") {
  Plan plan = sample_chain_plan();
  plan.layers[LayerIndex(5)].stage = 1;
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/layers/5/stage");
  plan = sample_chain_plan();
  for (LayerIndex i(2); i < 12; ++i) plan.layers[i].mesh = parse_mesh("h2l3");
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/layers/2/mesh");
  plan = sample_chain_plan();
  plan.layers[LayerIndex(3)].recompute = true;
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/layers/3/recompute");
  plan = sample_chain_plan();
  plan.layers[LayerIndex(2)].halo = HaloMethod::interior_strips;
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/layers/2/halo");
  plan = sample_chain_plan();
  plan.ranks_per_node = 2;
  plan.layers[LayerIndex(2)].gather = GatherMethod::by_node_n;
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/layers/2/gather");
  plan = sample_chain_plan();
  plan.multigrid.push_back(plan.multigrid[0]);
  CHECK(problem_of([&] { parse_plan(to_json(plan), "p.json"); }).pointer == "/multigrid/1/first");
}

TEST_CASE("parse_plan: every layer of the network has an entry") {
  Plan plan = sample_plan();
  plan.layers.pop_back();
  const InputProblem problem = problem_of([&] { parse_plan(to_json(plan), "p.json"); });
  CHECK(problem.pointer == "/layers");
  CHECK(contains(problem.allowed, std::to_string(plan.layers.size() + 1)));
}

TEST_CASE("to_json: plans come back equal") {
  CHECK(parse_plan(to_json(sample_plan()), "p.json") == sample_plan());
  CHECK(parse_plan(to_json(sample_chain_plan()), "p.json") == sample_chain_plan());
  Plan gathers = sample_plan();
  gathers.layers[LayerIndex(2)].gather = GatherMethod::by_node_w;
  gathers.prediction.rivals.back().settings->layers[2].gather = GatherMethod::by_node_c;
  CHECK(parse_plan(to_json(gathers), "p.json") == gathers);
  const Plan plain = uniform_plan(sample_network_3d(), 1, Mesh());
  CHECK(parse_plan(to_json(plain), "p.json") == plain);
}

TEST_CASE("parse_plan: the device of a plan without a kind names its kind") {
  Plan plan = sample_plan();
  plan.device_kind.reset();
  CHECK(parse_plan(to_json(plan), "p.json").device_kind == DeviceKind::cpu);
  plan.device = "NVIDIA H200; cudnn (cuDNN 9.19); 1 busy rank";
  CHECK(parse_plan(to_json(plan), "p.json").device_kind == DeviceKind::gpu);
  plan.device.clear();
  CHECK(!parse_plan(to_json(plan), "p.json").device_kind);
}

Mesh random_mesh(RandomValues& random) {
  constexpr std::array axes{Axis::n, Axis::d, Axis::h, Axis::w, Axis::r};
  const std::size_t first = static_cast<std::size_t>(random.integer(0, 4));
  const std::size_t second = (first + static_cast<std::size_t>(random.integer(1, 4))) % axes.size();
  const int size = 1 << random.small(0, 3);
  return Mesh({{axes[first], size}, {axes[second], 8 / size}});
}

// Returns a plan with 4 ranks, 8 samples and one batch norm.
Plan block_plan() {
  Plan plan = sample_plan();
  plan.batch = 8;
  plan.sample_blocks = 8;
  plan.sharded_update = false;
  set_gradient_allreduce(plan, AllreduceAlgorithm::rabenseifner);
  plan.statistics_allreduce = AllreduceAlgorithm::recursive_doubling;
  plan.prediction.margins.clear();
  plan.prediction.rivals.clear();
  for (LayerPlan& layer : plan.layers) {
    layer = {.mesh = sample_mesh(4), .statistics = BatchNormStatistics::global};
  }
  return plan;
}

TEST_CASE("parse_plan: sums by blocks of samples have many conditions") {
  CHECK(parse_plan(to_json(block_plan()), "p.json").sample_blocks == 8);
  Plan small = block_plan();
  small.small_gradient_allreduces = {{.algorithm = AllreduceAlgorithm::ring}};
  CHECK(problem_of([&] { parse_plan(to_json(small), "p.json"); }).pointer ==
        "/small_gradient_allreduces/0/algorithm");
  check_refusals(
      to_json(block_plan()),
      parse_plan,
      {{"\"sample_blocks\": 8", "\"sample_blocks\": 0", "/sample_blocks", "0", "from 1 to"},
       {"\"sample_blocks\": 8", "\"sample_blocks\": 2", "/sample_blocks", "2", "power of two"},
       {"\"sample_blocks\": 8", "\"sample_blocks\": 12", "/sample_blocks", "12", "batch of 8"},
       {"\"sample_blocks\": 8", "\"sample_blocks\": 16", "/sample_blocks", "16", "4 ranks"},
       {"\"rabenseifner\"",
        "\"ring\"",
        "/gradient_allreduce",
        "\"ring\"",
        "\"recursive_doubling\" or \"rabenseifner\""},
       {"\"recursive_doubling\"",
        "\"library\"",
        "/statistics_allreduce",
        "\"library\"",
        "\"rabenseifner\", with sample_blocks"},
       {"{\"name\": \"relu\", \"mesh\": \"n4\"",
        "{\"name\": \"relu\", \"mesh\": \"h4\"",
        "/layers/3/mesh",
        "\"h4\"",
        "\"n4\", with sample_blocks"},
       {"\"global\"", "\"spatial\"", "/layers/2/statistics", "\"spatial\"", "\"global\""}});
}

TEST_CASE("to_json: random plans come back equal") {
  RandomValues random(4);
  for (int trial = 0; trial < 200; ++trial) {
    Plan plan = sample_plan();
    plan.ranks = 8;
    for (LayerPlan& layer : plan.layers) layer.mesh = random_mesh(random);
    plan.layers[LayerIndex(1)].algorithms = {
        {KernelPhase::backward_data, random.enumerator<KernelAlgorithm>()}};
    plan.layers[LayerIndex(2)].statistics = random.enumerator<BatchNormStatistics>();
    plan.batch = random.integer(1, 100000);
    plan.precision = random.enumerator<Precision>();
    plan.device = random.text();
    plan.device_kind = random.enumerator<DeviceKind>();
    plan.gradient_allreduce = random.enumerator<AllreduceAlgorithm>();
    plan.sharded_update = has_halves(plan.gradient_allreduce) && random.boolean();
    plan.optimizer_state_bytes = random.boolean() ? 8 : 0;
    if (plan.sharded_update) plan.small_gradient_allreduces.clear();
    plan.ranks_per_node = random.small(1, 1048576);
    plan.bucket_bytes = random.integer({.minimum = 1});
    plan.prediction.step_s = random.seconds();
    plan.prediction.gap = random.fraction() - 0.5;
    UnitMargin& margin = plan.prediction.margins[1];
    margin.margin_s = random.fraction() - 0.5;
    margin.changes = {
        {.layer = "bn", .split = {.mesh = random_mesh(random)}, .recompute = random.boolean()}};
    plan.prediction.memory.activations_bytes = random.integer(bytes_range);
    PredictedOperation operation{random.text(), random.seconds(), random.boolean()};
    operation.place = {.part = random.enumerator<OperationPart>()};
    if (!serves_bucket(*operation.place.part)) operation.place.layer = random.text();
    if (random.boolean()) operation.place.level = random.small(0, 16);
    plan.prediction.operations.assign(3, operation);
    plan.prediction.estimated_kernels = {random.text(), random.text()};
    plan.prediction.estimated_families = {{.family = random_family(random), .kernels = 2}};
    CHECK(parse_plan(to_json(plan), "p.json") == plan);
  }
}

}  // namespace
}  // namespace cnnplan::test
