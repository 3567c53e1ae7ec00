// Tests that one rank of each class predicts what all ranks do.
#include "planner/schedule/representatives/rank_classes.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Returns a platform with nodes of 8 ranks.
Platform pod() {
  return read_platform("configs/platforms/dgx-h200.json");
}

Plan plan_on(const std::string& network, std::int64_t batch, const std::string& mesh) {
  return uniform_plan(
      read_network("configs/networks/" + network + ".json"), batch, parse_mesh(mesh));
}

// Returns a plan with the first half of the layers on the mesh `first`, and the second half on
// `then`.
Plan mixed(const std::string& network,
           std::int64_t batch,
           const std::string& first,
           const std::string& then) {
  Plan plan = plan_on(network, batch, first);
  for (LayerIndex layer(plan.layers.size() / 2); layer < plan.layers.end_index(); ++layer) {
    plan.layers[layer].mesh = parse_mesh(then);
  }
  return plan;
}

// Returns a plan of layers with wide taps at every second input, so that needed blocks differ from
// rank to rank.
Plan transposed(const std::string& mesh) {
  const WindowDim wide{.kernel = 5, .stride = 2, .padding_begin = 1, .padding_end = 1};
  return uniform_plan(
      Network("transposed",
              {{"data", {}, Input{.channels = 8, .size = {1, 96, 96}}},
               {"up",
                {"data"},
                TransposedConvolution{.filters = 8, .window = {{WindowDim{}, wide, wide}}}},
               {"again",
                {"up"},
                TransposedConvolution{.filters = 8, .window = {{WindowDim{}, wide, wide}}}},
               {"loss", {"again"}, SoftmaxCrossEntropy{}}}),
      8,
      parse_mesh(mesh));
}

struct Both {
  Prediction classes;
  Prediction each;
};

// `shared_by` ranks share a port between nodes.
Both predict_both(const Plan& plan, int shared_by = 1, const Profile& profile = {}) {
  Platform platform = pod();
  platform.levels.back().shared_by = shared_by;
  const KernelCosts kernels(profile);
  const PriceList prices(platform, kernels);
  return {.classes = predict(plan, prices),
          .each = predict(plan, RankClasses::each(plan.ranks), prices)};
}

// Returns a profile in which all kernels of the plan take equally long.
Profile equal_kernels(const Plan& plan, double rank_spread_s) {
  Profile profile;
  for (const Schedule& schedule : lower(plan, RankClasses::of(plan, pod()).representatives())) {
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr) continue;
      profile.kernels[canonical(kernel->spec)] = {
          .median_s = 1e-3, .mean_s = 1e-3, .min_s = 1e-3, .rank_spread_s = rank_spread_s};
    }
  }
  return profile;
}

}  // namespace

TEST_CASE("RankClasses: a class is late as often as it has ranks") {
  for (const Plan& plan : {plan_on("resnet50", 64, "n64"), plan_on("mesh-1k", 4, "n4h4w2")}) {
    const Both even = predict_both(plan, 1, equal_kernels(plan, 0.0));
    const Both late = predict_both(plan, 1, equal_kernels(plan, 2e-5));
    const double waited_s = late.each.step_s - even.each.step_s;
    CHECK(waited_s > 1e-3);
    const double ratio = (late.classes.step_s - even.classes.step_s) / waited_s;
    CHECK(ratio > 0.9);
    CHECK(ratio < 1.1);
  }
}

// Returns a platform with nodes of `ranks_per_node` ranks.
Platform nodes_of(int ranks_per_node, int ranks) {
  Platform platform = pod();
  platform.levels.front().ranks_per_group = ranks_per_node;
  platform.levels.back().ranks_per_group = ranks;
  platform.levels.back().shared_by = ranks_per_node;
  return platform;
}

TEST_CASE(
    "RankClasses: few ranks are in one class only if they do the same work on other samples") {
  const Platform four = nodes_of(4, 16);
  CHECK(RankClasses::of(plan_on("mesh-1k", 16, "n16"), four).sizes() == std::vector{4, 4, 4, 4});
  CHECK(RankClasses::of(mixed("mesh-1k", 16, "n16", "n2h8"), four).count() == 8);
  CHECK(RankClasses::of(plan_on("mesh-1k", 16, "n16"), nodes_of(8, 16)).count() == 8);
  CHECK(RankClasses::of(plan_on("mesh-1k", 16, "n4h2w2"), four).class_of(6) == 2);
  for (const Plan& plan : {plan_on("mesh-1k", 17, "n16"),
                           plan_on("mesh-1k", 16, "h4n4"),
                           plan_on("mesh-1k", 16, "n8r2"),
                           plan_on("mesh-1k", 16, "h4w4"),
                           mixed("mesh-1k", 16, "n16", "h16")}) {
    CHECK(RankClasses::of(plan, four).count() == 16);
  }
  Plan blocks = plan_on("resnet50", 32, "n16");
  blocks.sample_blocks = 32;
  CHECK(RankClasses::of(blocks, four).count() == 16);
  CHECK(RankClasses::of(plan_on("mesh-1k", 12, "n12"), nodes_of(8, 12)).count() == 12);
  CHECK(RankClasses::each(3).sizes() == std::vector{1, 1, 1});
}

// Waiting for each other may differ by `rounding`, ten times the relative error of the step.
void check_same(const Plan& plan,
                const Platform& platform,
                const Profile& profile = {},
                double rounding = 1e-8) {
  const KernelCosts kernels(profile);
  const PriceList prices(platform, kernels);
  const Prediction all = predict(plan, RankClasses::each(plan.ranks), prices);
  const Prediction few = predict(plan, prices);
  CHECK(few.step_s == relative(all.step_s, rounding / 10));
  CHECK(few.low_s == relative(all.low_s, rounding));
  CHECK(few.high_s == relative(all.high_s, rounding));
  CHECK(few.exposed_communication_s == relative(all.exposed_communication_s, rounding));
  CHECK(few.memory.total_bytes() == all.memory.total_bytes());
  REQUIRE(few.operations.size() == all.operations.size());
  for (std::size_t i = 0; i < few.operations.size(); ++i) {
    CAPTURE(all.operations[i].id);
    CHECK(few.operations[i].id == all.operations[i].id);
    CHECK(few.operations[i].predicted_s == relative(all.operations[i].predicted_s, rounding));
  }
}

TEST_CASE("RankClasses: few ranks leave nothing out") {
  const std::vector<std::string> meshes{"n16", "n8h2", "n4h2w2", "n8c2", "n4c4", "n2h8", "n2c2w4"};
  const std::vector<const char*> networks =
      is_slow_build ? std::vector{"lenet"} : std::vector{"lenet", "googlenet", "unet-2d"};
  std::size_t shared = 0;
  for (const char* network : networks) {
    for (const std::string& first : meshes) {
      for (const std::string& then : {std::string("n16"), std::string("n4h4"), first}) {
        for (const int ranks_per_node : {2, 4}) {
          Plan plan = mixed(network, 16, first, then);
          plan.overlap = then == "n16";
          CAPTURE(network);
          CAPTURE(first);
          CAPTURE(then);
          const Platform platform = nodes_of(ranks_per_node, 16);
          if (RankClasses::of(plan, platform).count() < 16) ++shared;
          check_same(plan, platform);
        }
      }
    }
  }
  CHECK(shared > 30 * networks.size());
}

TEST_CASE(
    "RankClasses: few ranks wait for each other as in classes of one rank, except for rounding") {
  const Platform four = nodes_of(4, 16);
  for (const Plan& plan : {plan_on("lenet", 16, "n16"), mixed("alexnet", 16, "n16", "n8h2")}) {
    check_same(plan, four, equal_kernels(plan, 2e-5), 2e-2);
  }
}

TEST_CASE("RankClasses: few ranks have the places that the plan's nodes give them") {
  Plan plan = plan_on("mesh-1k", 3, "n3h4");
  plan.statistics_allreduce = AllreduceAlgorithm::hierarchical;
  Platform flat = nodes_of(12, 12);
  flat.levels.resize(1);
  plan.ranks_per_node = 6;
  CHECK(RankClasses::of(plan, flat).count() == 12);
  plan.ranks_per_node = 4;
  CHECK(RankClasses::of(plan, flat).count() == 4);
  for (const int ranks_per_node : {4, 6}) {
    plan.ranks_per_node = ranks_per_node;
    check_same(plan, flat);
  }
}

TEST_CASE("RankClasses: every rank is in one class, whose lowest rank represents it") {
  const Plan plan = mixed("mesh-1k", 32, "n16h4w4", "n32h8");
  const RankClasses classes = RankClasses::of(plan, pod());
  CHECK(classes.rank_count() == 256);
  CHECK(classes.count() < 64);
  CHECK(std::accumulate(classes.sizes().begin(), classes.sizes().end(), 0) == 256);
  CHECK(std::is_sorted(classes.representatives().begin(), classes.representatives().end()));
  for (int i = 0; i < classes.count(); ++i) {
    CHECK(classes.class_of(classes.representatives()[static_cast<std::size_t>(i)]) == i);
  }
}

TEST_CASE("RankClasses: sample parallelism has one class, or two where the batch is uneven") {
  CHECK(RankClasses::of(plan_on("resnet50", 256, "n128"), pod()).count() == 1);
  CHECK(RankClasses::of(plan_on("resnet50", 200, "n128"), pod()).sizes() == std::vector{72, 56});
  CHECK(RankClasses::of(plan_on("resnet50", 1 << 17, "n65536"), pod()).count() == 1);
}

TEST_CASE("RankClasses: stages that do not fill nodes differ by the ranks on their node") {
  Plan plan = plan_on("residual-64", 8, "n8l3");
  for (const LayerIndex layer : plan.network.layers().indices()) {
    LayerPlan& own = plan.layers[layer];
    own.stage = layer * 3 / plan.network.layer_count();
    if (!can_be_staged(plan.network.layer(layer).parameters)) own = {.mesh = parse_mesh("n8r3")};
  }
  const Both both = predict_both(plan);
  CHECK(both.classes.step_s == relative(both.each.step_s));
}

// With 2 taps at every second output, blocks need the inputs that an upsampling by 2 repeats.
TEST_CASE("RankClasses: a transposed convolution that needs no halo splits no class") {
  const WindowDim pair{.kernel = 2, .stride = 2};
  const auto classes_with = [](const LayerParameters& up) {
    const Network network("up",
                          {{"data", {}, Input{.channels = 8, .size = {1, 256, 1}}},
                           {"up", {"data"}, up},
                           {"loss", {"up"}, SoftmaxCrossEntropy{}}});
    return RankClasses::of(uniform_plan(network, 1, parse_mesh("h128")), pod()).sizes();
  };
  CHECK(classes_with(TransposedConvolution{.window = {{WindowDim{}, pair, WindowDim{}}}}) ==
        classes_with(Upsample{.factor = {1, 2, 1}}));
}

// Returns a plan that slices half of the channels of a convolution. All layers except the loss are
// on one mesh: some ranks give the channels, and all take them. With `joined`, a concat appends
// another convolution.
Plan sliced(std::int64_t first, bool joined, const std::string& mesh) {
  const Window point = std::get<Convolution>(LayerParameters(Convolution{})).window;
  std::vector<Layer> layers{{"data", {}, Input{.channels = 4, .size = {1, 64, 64}}},
                            {"conv", {"data"}, Convolution{.filters = 1024, .window = point}},
                            {"part", {"conv"}, Slice{.first_channel = first, .channels = 512}}};
  if (joined) {
    layers.push_back({"other", {"data"}, Convolution{.filters = 96, .window = point}});
    layers.push_back({"joined", {"part", "other"}, Concat{}});
  }
  layers.push_back({"pool", {layers.back().name}, GlobalPooling{}});
  layers.push_back({"fc", {"pool"}, FullyConnected{.outputs = 5}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  Plan plan = uniform_plan(Network("sliced", std::move(layers)), 8, parse_mesh(mesh));
  plan.layers.back().mesh = Mesh({{Axis::n, 8}, {Axis::r, plan.ranks / 8}});
  return plan;
}

TEST_CASE("RankClasses: channels that few ranks have are given by few") {
  for (const bool joined : {false, true}) {
    for (const std::int64_t first : {0, 512, 100}) {
      CAPTURE(joined);
      CAPTURE(first);
      const auto [classes, each] = predict_both(sliced(first, joined, "c32"));
      CHECK(classes.step_s == relative(each.step_s, 1e-4));
      CHECK(classes.exposed_communication_s == relative(each.exposed_communication_s, 2e-3));
    }
  }
}

// Returns a plan that splits samples, and in fully connected layers channels before samples.
Plan channels_first(const std::string& mesh,
                    ChannelAlgorithm algorithm = ChannelAlgorithm::stationary_y) {
  Plan plan = plan_on("alexnet", 128, "n128");
  for (const LayerIndex layer : plan.network.layers().indices()) {
    const LayerParameters& parameters = plan.network.layer(layer).parameters;
    if (!std::holds_alternative<FullyConnected>(parameters)) continue;
    plan.layers[layer].set({.mesh = parse_mesh(mesh), .channel_algorithm = algorithm});
  }
  return plan;
}

// Slow builds take two plans of few ranks. The optimised build takes all plans.
std::vector<Plan> plans_of_many_ranks() {
  std::vector<Plan> plans{plan_on("mesh-1k", 2, "h3w6"), transposed("n2h4w3")};
  if (is_slow_build) return plans;
  const std::vector<Plan> more{plan_on("resnet50", 256, "n128"),
                               plan_on("resnet50", 200, "n128"),
                               plan_on("mesh-1k", 8, "n8h4w4"),
                               plan_on("mesh-1k", 8, "h16n8"),
                               plan_on("mesh-1k", 8, "n8h5w3"),
                               plan_on("vgg16", 16, "n16h3w2"),
                               plan_on("unet-2d", 8, "n8h5w3"),
                               plan_on("unet-3d", 8, "n8d3h4"),
                               transposed("n8h5w3"),
                               transposed("n2h8w7"),
                               channels_first("c8n16"),
                               channels_first("c32n4"),
                               channels_first("c8n16", ChannelAlgorithm::stationary_w),
                               channels_first("n2c64", ChannelAlgorithm::stationary_w),
                               mixed("mesh-1k", 32, "n8h4w4", "n32h4"),
                               mixed("resnet50", 128, "n32h2w2", "n128"),
                               mixed("resnet50", 128, "n64h2", "n32r4")};
  plans.insert(plans.end(), more.begin(), more.end());
  return plans;
}

TEST_CASE("RankClasses: predict what all ranks are predicted") {
  for (const Plan& plan : plans_of_many_ranks()) {
    CAPTURE(to_text(plan.layers.front().mesh));
    for (const int shared_by : {1, 4}) {
      CAPTURE(shared_by);
      const auto [classes, each] = predict_both(plan, shared_by);
      CHECK(classes.step_s == relative(each.step_s, 1e-4));
      CHECK(classes.memory.total_bytes() == each.memory.total_bytes());
      CHECK(classes.exposed_communication_s == relative(each.exposed_communication_s, 2e-3));
    }
  }
}

}  // namespace cnnplan::test
