// Makes plans for tests: random ones by seed, and plans of networks of configs/networks by name.
#include "tests/planner/schedule/sample_plans.hpp"

#include <array>
#include <numeric>

#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr int stride = is_slow_build ? 5 : 1;

constexpr std::array rank_counts{1, 2, 3, 4, 8};
constexpr std::array all_statistics{
    BatchNormStatistics::local, BatchNormStatistics::spatial, BatchNormStatistics::global};

// Returns a random plan, which splits channels for every other seed.
Plan random_plan_with_statistics(std::size_t seed, int ranks) {
  Plan plan = seed % 2 == 0 ? random_plan(seed, ranks) : random_channel_plan(seed, ranks);
  for (const LayerIndex i : plan.layers.indices()) {
    plan.layers[i].statistics = all_statistics[(seed + i) % all_statistics.size()];
  }
  return plan;
}

// Returns a plan that takes the next mesh after every three layers.
Plan alternating_plan(const Network& network, const std::vector<Mesh>& meshes) {
  Plan plan = uniform_plan(network, 8, meshes.front());
  for (const LayerIndex i : plan.layers.indices()) {
    plan.layers[i].mesh = meshes[i / 3 % meshes.size()];
  }
  return plan;
}

// Slow builds lower only networks that are small and have layer kinds that random networks lack.
std::vector<const char*> config_names() {
  std::vector<const char*> names{"googlenet", "lenet", "residual-16", "shufflenet_v2", "unet-2d"};
  if (!is_slow_build) {
    names.insert(names.end(),
                 {"alexnet",
                  "cosmoflow",
                  "densenet121",
                  "mesh-1k",
                  "mesh-2k",
                  "mobilenet_v2",
                  "resnet50",
                  "vgg16"});
  }
  return names;
}

}  // namespace

std::vector<NamedPlan> random_plans(int seeds) {
  std::vector<NamedPlan> plans;
  for (int seed = 0; seed < seeds; seed += stride) {
    for (int ranks : rank_counts) {
      plans.push_back({"seed " + std::to_string(seed) + " on " + std::to_string(ranks) + " ranks",
                       random_plan_with_statistics(static_cast<std::size_t>(seed), ranks)});
    }
  }
  return plans;
}

std::vector<NamedPlan> chain_plans(int seeds) {
  std::vector<NamedPlan> plans;
  for (int seed = 0; seed < seeds; seed += stride) {
    for (int ranks : rank_counts) {
      const auto number = static_cast<std::uint64_t>(seed);
      const std::string which =
          " " + std::to_string(seed) + " on " + std::to_string(ranks) + " ranks";
      plans.push_back({"chain" + which, random_chain_plan(number, ranks)});
      plans.push_back({"staged" + which, random_staged_plan(number, ranks)});
    }
  }
  return plans;
}

std::vector<NamedPlan> block_plans(int seeds) {
  std::vector<NamedPlan> plans;
  for (int seed = 0; seed < seeds; seed += stride) {
    for (int ranks : {1, 2, 4, 8}) {
      plans.push_back({"blocks " + std::to_string(seed) + " on " + std::to_string(ranks) + " ranks",
                       random_block_plan(static_cast<std::uint64_t>(seed), ranks)});
    }
  }
  return plans;
}

std::vector<NamedPlan> config_plans() {
  std::vector<NamedPlan> plans;
  for (const char* name : config_names()) {
    const Network network = read_network("configs/networks/" + std::string(name) + ".json");
    for (std::size_t i = is_slow_build ? 2 : 0; i < rank_counts.size(); i += stride) {
      const int ranks = rank_counts[i];
      const Mesh by_sample({{Axis::n, ranks}});
      const Mesh by_height({{Axis::h, ranks}});
      const std::string on = std::string(name) + " on ";
      plans.push_back({on + to_text(by_sample), alternating_plan(network, {by_sample})});
      plans.push_back({on + to_text(by_height), alternating_plan(network, {by_height})});
      plans.push_back({on + to_text(by_sample) + " and " + to_text(by_height),
                       alternating_plan(network, {by_sample, by_height})});
    }
  }
  return plans;
}

std::vector<NamedPlan> gated_plans() {
  std::vector<NamedPlan> plans;
  for (const char* meshes : {"n2", "h2", "h3", "w4", "c2", "c4", "n2h2", "c2h2", "h2w2", "h2r2"}) {
    plans.push_back(
        {std::string("gated by ") + meshes, uniform_plan(gated_network(), 8, parse_mesh(meshes))});
  }
  const std::vector<Mesh> changing{parse_mesh("h4"), parse_mesh("c4"), parse_mesh("n4")};
  plans.push_back({"gated by changing meshes", alternating_plan(gated_network(), changing)});
  return plans;
}

std::vector<NamedPlan> sample_plans() {
  std::vector<NamedPlan> plans = random_plans(60);
  for (NamedPlan& plan : chain_plans(40)) plans.push_back(std::move(plan));
  for (NamedPlan& plan : block_plans(20)) plans.push_back(std::move(plan));
  for (NamedPlan& plan : config_plans()) plans.push_back(std::move(plan));
  for (NamedPlan& plan : gated_plans()) plans.push_back(std::move(plan));
  return plans;
}

Network backward_add() {
  return Network("backward",
                 {{"data", {}, Input{.channels = 2, .size = {1, 8, 8}}},
                  {"a", {"data"}, Convolution{.filters = 4}},
                  {"b", {"data"}, Convolution{.filters = 4}},
                  {"ra", {"a"}, Relu{}},
                  {"s", {"b", "ra"}, Add{}},
                  {"fc", {"s"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

Network gated_network() {
  return Network("gated",
                 {{"data", {}, Input{.channels = 2, .size = {1, 8, 8}}},
                  {"conv", {"data"}, Convolution{.filters = 4}},
                  {"mean", {"conv"}, GlobalPooling{}},
                  {"gate", {"mean"}, Pointwise{.operation = "Sigmoid"}},
                  {"gated", {"conv", "gate"}, Pointwise{.operation = "Mul"}},
                  {"sigmoid", {"gated"}, Pointwise{.operation = "Sigmoid"}},
                  {"swish", {"gated", "sigmoid"}, Pointwise{.operation = "Mul"}},
                  {"fc", {"swish"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

std::vector<Schedule> lower_all(const Plan& plan) {
  std::vector<int> ranks(static_cast<std::size_t>(plan.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return lower(plan, ranks);
}

}  // namespace cnnplan::test
