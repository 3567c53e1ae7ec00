// Builds random residual chains, and splits them by layers at random.
#include "tests/planner/network/random_chain.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "planner/network/enumerators.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

constexpr int most_blocks = 20;

Window same_window(std::int64_t kernel) {
  Window window;
  for (std::size_t i = 1; i < window.dims.size(); ++i) {
    window.dims[i] = {.kernel = kernel, .padding_begin = kernel / 2, .padding_end = kernel / 2};
  }
  return window;
}

void add_chain(RandomValues& random, const std::string& name, std::vector<Layer>& layers) {
  const int blocks = random.small(2, most_blocks);
  const std::int64_t channels = std::get<Convolution>(layers[1].parameters).filters;
  for (int i = 0; i < blocks; ++i) {
    const std::string number = name + std::to_string(i);
    const std::string input = layers.back().name;
    layers.push_back({number + "_conv",
                      {input},
                      Convolution{.filters = channels,
                                  .window = same_window(random.boolean() ? 3 : 1),
                                  .bias = random.boolean()}});
    if (random.small(1, 4) > 1) layers.push_back({number + "_relu", {layers.back().name}, Relu{}});
    const double step = 0.1 * static_cast<double>(random.small(1, 5));
    layers.push_back({number + "_add", {input, layers.back().name}, Add{.scale = step}});
  }
}

Network random_network(RandomValues& random) {
  std::vector<Layer> layers{
      {"data", {}, Input{.channels = 2, .size = {1, random.integer(1, 5), random.integer(1, 5)}}},
      {"open", {"data"}, Convolution{.filters = random.integer(1, 4), .window = same_window(3)}}};
  layers.push_back({"front", {"open"}, Relu{}});
  add_chain(random, "a", layers);
  if (random.small(1, 3) == 1) {
    layers.push_back({"between", {layers.back().name}, Dropout{.rate = 0.2}});
    add_chain(random, "b", layers);
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 3}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  return Network("chain", layers);
}

// Puts all layers of a chain on `mesh`. Their random stages do not fall.
void split(RandomValues& random, const ResidualChain& chain, const Mesh& mesh, Plan& plan) {
  std::vector<int> stages;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    stages.push_back(random.small(0, mesh.size(Axis::l) - 1));
  }
  std::sort(stages.begin(), stages.end());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (LayerIndex layer : {chain[i].weights, chain[i].transform, chain[i].sum}) {
      LayerPlan& own = plan.layers[layer];
      own = {.mesh = mesh, .stage = stages[i]};
    }
  }
}

Multigrid random_setting(RandomValues& random, const ResidualChain& chain) {
  Multigrid setting{.first = chain.front().weights, .last = chain.back().sum};
  setting.coarsening = random.small(2, 5);
  const int most = most_levels(static_cast<int>(chain.size()), setting.coarsening);
  setting.levels = random.small(2, std::max(2, most));
  setting.cycles = random.small(1, 3);
  setting.relaxation = random.enumerator<Relaxation>();
  setting.first_guess = random.enumerator<FirstGuess>();
  setting.concurrency = random.small(1, 4);
  return setting;
}

Plan blank_plan(RandomValues& random, int ranks) {
  Plan plan = uniform_plan(random_network(random), random.integer(1, 5), Mesh());
  plan.ranks = ranks;
  for (LayerPlan& layer : plan.layers) {
    layer.mesh = random_mesh(static_cast<std::uint64_t>(random.integer(0, 1000)), ranks);
  }
  plan.layers[plan.network.index_of("front").value()].recompute = random.boolean();
  plan.gradient_allreduce = random.enumerator<AllreduceAlgorithm>();
  plan.sharded_update = has_halves(plan.gradient_allreduce) && plan.batch % 2 == 0;
  plan.bucket_bytes = random.boolean() ? 64 : 4096;
  return plan;
}

// Returns a mesh of `ranks`, some of them along l and the others along `other`, in any order.
Mesh mesh_with_layers(RandomValues& random, int ranks, Axis other) {
  std::vector<int> divisors;
  for (int i = 1; i <= ranks; ++i) {
    if (ranks % i == 0) divisors.push_back(i);
  }
  const int layers =
      divisors[static_cast<std::size_t>(random.small(0, static_cast<int>(divisors.size()) - 1))];
  const MeshAxis along_layers{Axis::l, layers};
  const MeshAxis rest{other, ranks / layers};
  return random.boolean() ? Mesh({along_layers, rest}) : Mesh({rest, along_layers});
}

}  // namespace

Plan with_concurrency(Plan plan, int concurrency) {
  for (Multigrid& chain : plan.multigrid) chain.concurrency = concurrency;
  return plan;
}

Plan random_chain_plan(std::uint64_t seed, int ranks) {
  RandomValues random(seed);
  Plan plan = blank_plan(random, ranks);
  for (const ResidualChain& chain : residual_chains(plan.network)) {
    split(random, chain, mesh_with_layers(random, ranks, Axis::n), plan);
    if (random.small(1, 3) > 1) plan.multigrid.push_back(random_setting(random, chain));
  }
  return plan;
}

Plan random_staged_plan(std::uint64_t seed, int ranks) {
  RandomValues random(seed);
  Plan plan = blank_plan(random, ranks);
  constexpr std::array others{Axis::n, Axis::c, Axis::h, Axis::w, Axis::r};
  for (const ResidualChain& chain : residual_chains(plan.network)) {
    const Axis other = others[static_cast<std::size_t>(random.small(0, others.size() - 1))];
    split(random, chain, mesh_with_layers(random, ranks, other), plan);
  }
  return plan;
}

}  // namespace cnnplan::test
