// Tests of planner/search/plans/chain_plans, and of the choice that solve makes among these plans.
#include "planner/search/plans/chain_plans.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/solve.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

Plan base_plan(int ranks, std::int64_t batch = 4) {
  const Network network = read_network("configs/networks/residual-64.json");
  return uniform_plan(network, batch, Mesh({{Axis::r, ranks}}));
}

std::set<Mesh> meshes_of_chains(const std::vector<ProposedPlan>& plans) {
  std::set<Mesh> meshes;
  for (const ProposedPlan& proposed : plans) {
    const ResidualChain chain = residual_chains(proposed.plan.network).at(0);
    meshes.insert(proposed.plan.layers[chain[0].sum].mesh);
  }
  return meshes;
}

SolveRequest request_for(int ranks, const std::optional<MultigridRequest>& multigrid) {
  SolveRequest request{.network = read_network("configs/networks/residual-64.json")};
  request.ranks = ranks;
  request.platform = read_platform("configs/platforms/tx-gaia.json");
  request.multigrid = multigrid;
  return request;
}

// Times all kernels of a plan. Kernels at the same time take `factor` times as long as alone.
Profile profile_with_pairs(const Plan& plan, const Platform& platform, double factor) {
  const KernelCosts costs({}, platform);
  Profile profile;
  for (const Operation& operation : lower(plan, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    const KernelSpec single = alone(canonical(kernel->spec));
    const double seconds = costs.lookup(single).seconds;
    profile.kernels[single] = {.repetitions = 3, .median_s = seconds, .min_s = seconds};
    if (kernel->spec.concurrency == 1) continue;
    profile.kernels[canonical(kernel->spec)] = {
        .repetitions = 3, .median_s = factor * seconds, .min_s = factor * seconds};
  }
  return profile;
}

}  // namespace

TEST_CASE("chain_plans: every way to share the ranks out between samples and layers") {
  const auto meshes = meshes_of_chains(chain_plans(base_plan(8), {}));
  CHECK(meshes == std::set{parse_mesh("n4l2"), parse_mesh("n2l4"), parse_mesh("l8")});
  const auto few_samples = meshes_of_chains(chain_plans(base_plan(8, 1), {}));
  CHECK(few_samples == std::set{parse_mesh("l8")});
  CHECK(meshes_of_chains(chain_plans(base_plan(8), {.partitions = 4})) ==
        std::set{parse_mesh("n2l4")});
  CHECK(chain_plans(base_plan(8), {.partitions = 3}).empty());
}

TEST_CASE("chain_plans: what is asked for is in all plans, and all may run") {
  const MultigridRequest request{
      .cycles = 3, .relaxation = Relaxation::fcf, .first_guess = FirstGuess::previous};
  const std::vector<ProposedPlan> plans = chain_plans(base_plan(4), request);
  REQUIRE_FALSE(plans.empty());
  std::set<std::string> names;
  for (const ProposedPlan& proposed : plans) {
    CAPTURE(to_text(proposed.origin));
    CHECK_NOTHROW(validate(proposed.plan, "plan.json"));
    CHECK(names.insert(to_text(proposed.origin)).second);
    REQUIRE(proposed.plan.multigrid.size() == 1);
    const Multigrid& chain = proposed.plan.multigrid[0];
    CHECK(chain.cycles == 3);
    CHECK(chain.relaxation == Relaxation::fcf);
    CHECK(chain.first_guess == FirstGuess::previous);
    CHECK(chain.coarsening * least_coarse_steps <= 64);
  }
  for (const ProposedPlan& proposed : chain_plans(base_plan(4), {.coarsening = 5, .levels = 2})) {
    CHECK_NOTHROW(validate(proposed.plan, "plan.json"));
    CHECK(proposed.plan.multigrid.at(0).coarsening == 5);
  }
}

TEST_CASE("chain_plans: as many groups at the same time as were profiled, or were asked for") {
  const auto found = [](const MultigridRequest& request) {
    std::set<int> concurrencies;
    for (const ProposedPlan& proposed : chain_plans(base_plan(4), request)) {
      CHECK_NOTHROW(validate(proposed.plan, "plan.json"));
      concurrencies.insert(proposed.plan.multigrid.at(0).concurrency);
    }
    return concurrencies;
  };
  CHECK(found({}) == std::set{1});
  CHECK(found({.profiled_concurrencies = {1, 4}}) == std::set{1, 4});
  CHECK(found({.concurrency = 2, .profiled_concurrencies = {1, 4}}) == std::set{2});
  // Four ranks share eight coarse steps.
  CHECK(found({.partitions = 4, .coarsening = 8, .profiled_concurrencies = {1, 2, 4}}) ==
        std::set{1, 2});
  CHECK(found({.partitions = 4, .coarsening = 8, .concurrency = 4}) == std::set{2});
  for (const ProposedPlan& proposed : chain_plans(base_plan(4), {.cycles = 0, .concurrency = 2})) {
    CHECK(proposed.plan.multigrid.empty());
  }
}

TEST_CASE("solve: groups run at the same time where the profile says that it helps") {
  SolveRequest request = request_for(1, MultigridRequest{.partitions = 1});
  MultigridRequest two = *request.multigrid;
  two.concurrency = 2;
  SolveRequest beside = request;
  beside.multigrid = two;
  CHECK(solve(request).multigrid.at(0).concurrency == 1);
  const Plan asked_for = solve(beside);
  CHECK(asked_for.multigrid.at(0).concurrency == 2);
  // Kernels are priced as if they took turns. The plan is not faster, and its kernels are marked.
  CHECK(asked_for.prediction.step_s > 0.999999 * solve(request).prediction.step_s);
  CHECK_FALSE(asked_for.prediction.estimated_kernels.empty());
  for (double factor : {1.2, 2.5}) {
    CAPTURE(factor);
    SolveRequest profiled = request;
    profiled.profile = profile_with_pairs(asked_for, request.platform, factor);
    CHECK(solve(profiled).multigrid.at(0).concurrency == (factor < 2.0 ? 2 : 1));
  }
}

TEST_CASE("chain_plans: stages begin where coarse steps do, and every partition has some") {
  for (const ProposedPlan& proposed : chain_plans(base_plan(8), {})) {
    CAPTURE(to_text(proposed.origin));
    const Plan& plan = proposed.plan;
    const ResidualChain chain = residual_chains(plan.network).at(0);
    const auto stage_of = [&](std::size_t block) { return plan.layers[chain[block].sum].stage; };
    std::set<int> stages;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      stages.insert(stage_of(i));
      const std::size_t coarsening = plan.multigrid.at(0).coarsening;
      if (i > 0 && stage_of(i) != stage_of(i - 1)) CHECK(i % coarsening == 0);
    }
    const Mesh& mesh = plan.layers[chain[0].sum].mesh;
    CHECK(static_cast<int>(stages.size()) == mesh.size(Axis::l));
  }
}

TEST_CASE("chain_plans: layers are shared out as evenly as coarse steps allow") {
  const auto most_of = [](const ProposedPlan& proposed) {
    std::map<int, int> blocks;
    const ResidualChain chain = residual_chains(proposed.plan.network).at(0);
    for (const ResidualBlock& block : chain) {
      ++blocks[proposed.plan.layers[block.sum].stage];
    }
    return std::max_element(blocks.begin(),
                            blocks.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
  };
  // Seven stages share eight steps, of which the last has one block.
  for (const ProposedPlan& proposed :
       chain_plans(base_plan(7), {.partitions = 7, .coarsening = 9, .levels = 2})) {
    CHECK(most_of(proposed) == 10);
  }
  // With powers of two alone, some stage has at least 8 of 64 blocks.
  std::set<int> most;
  for (const ProposedPlan& proposed : chain_plans(base_plan(10), {.partitions = 10})) {
    most.insert(most_of(proposed));
  }
  CHECK(most == std::set{7, 8});
}

TEST_CASE("chain_plans: no power of two is lost for a coarsening that is more even") {
  for (int partitions = 2; partitions <= 32; ++partitions) {
    CAPTURE(partitions);
    std::set<int> found;
    for (const ProposedPlan& proposed :
         chain_plans(base_plan(partitions), {.partitions = partitions})) {
      found.insert(proposed.plan.multigrid.at(0).coarsening);
    }
    for (int coarsening : {2, 4, 8}) {
      CHECK(found.contains(coarsening) == (coarsening * (partitions - 1) < 64));
    }
  }
}

TEST_CASE("chain_plans: without cycles, the layers run in order on the ranks that have them") {
  for (const ProposedPlan& proposed : chain_plans(base_plan(4), {.cycles = 0})) {
    CHECK(proposed.plan.multigrid.empty());
    CHECK_NOTHROW(validate(proposed.plan, "plan.json"));
  }
}

TEST_CASE("chain_plans: what all ranks would compute alike may be on one stage each") {
  int staged = 0;
  for (const ProposedPlan& proposed : chain_plans(base_plan(4), {.partitions = 4})) {
    CAPTURE(to_text(proposed.origin));
    const auto& layers = proposed.plan.layers;
    CHECK_NOTHROW(validate(proposed.plan, "plan.json"));
    CHECK(layers.front().mesh == parse_mesh("r4"));
    CHECK(layers.back().mesh == parse_mesh("r4"));
    if (layers[LayerIndex(1)].mesh == parse_mesh("r4")) continue;
    ++staged;
    CHECK(layers[LayerIndex(1)].stage == 0);
    CHECK(layers[layers.end_index() - 2].stage == 3);
  }
  CHECK(staged > 0);
  for (const ProposedPlan& proposed :
       chain_plans(uniform_plan(base_plan(1).network, 4, parse_mesh("n4")), {.partitions = 4})) {
    CHECK(proposed.plan.layers[LayerIndex(1)].mesh == parse_mesh("n4"));
  }
}

TEST_CASE("chain_plans: a chain with too few coarse steps runs in order") {
  std::vector<Layer> layers = base_plan(2).network.layers().elements();
  const std::string last = layers[layers.size() - 3].name;
  const Layer fc = layers[layers.size() - 2];
  const Layer loss = layers.back();
  layers.resize(layers.size() - 2);
  layers.push_back({"between", {last}, Dropout{}});
  layers.push_back({"b", {"between"}, Convolution{.filters = 4}});
  layers.push_back({"b_add", {"between", "b"}, Add{}});
  layers.push_back({"c", {"b_add"}, Convolution{.filters = 4}});
  layers.push_back({"c_add", {"b_add", "c"}, Add{}});
  layers.push_back({"d", {"c_add"}, Convolution{.filters = 4}});
  layers.push_back({"d_add", {"c_add", "d"}, Add{}});
  layers.push_back({fc.name, {"d_add"}, fc.parameters});
  layers.push_back(loss);
  const Plan base = uniform_plan(Network("two", layers), 4, Mesh({{Axis::r, 2}}));
  const std::vector<ProposedPlan> plans = chain_plans(base, {});
  REQUIRE_FALSE(plans.empty());
  for (const ProposedPlan& proposed : plans) CHECK(proposed.plan.multigrid.size() == 1);
  CHECK(chain_plans(base, {.coarsening = 2, .levels = 2}).at(0).plan.multigrid.size() == 2);
}

TEST_CASE("chain_plans: settings that no chain has are refused") {
  CHECK_THROWS_AS(chain_plans(base_plan(2), {.coarsening = 65}), InputError);
  CHECK_THROWS_AS(chain_plans(base_plan(2), {.coarsening = 65536}), InputError);
  CHECK_THROWS_AS(chain_plans(base_plan(2), {.levels = 8}), InputError);
  CHECK_NOTHROW(chain_plans(base_plan(2), {.coarsening = 64, .levels = 2}));
}

TEST_CASE("chain_plans: no chain, no plan") {
  const Network network = read_network("configs/networks/lenet.json");
  CHECK(chain_plans(uniform_plan(network, 4, Mesh({{Axis::r, 4}})), {}).empty());
}

TEST_CASE("on_groups: fully connected layers that have a stage each, on groups of stages") {
  const std::vector<ProposedPlan> plans = chain_plans(base_plan(8), {.partitions = 8});
  const Plan& staged = plans.at(0).plan;
  const LayerIndex fc = staged.network.index_of("fc").value();
  const auto of_fc = [&](const Plan& plan) { return plan.layers[fc]; };
  REQUIRE(of_fc(staged).mesh.size(Axis::l) == 8);
  const std::optional<Plan> grouped = on_groups(staged, 4);
  REQUIRE(grouped);
  CHECK_NOTHROW(validate(*grouped, "plan.json"));
  CHECK(of_fc(*grouped).mesh == Mesh({{Axis::n, 1}, {Axis::l, 2}, {Axis::c, 4}}));
  CHECK(of_fc(*grouped).stage == of_fc(staged).stage / 4);
  Plan same = *grouped;
  same.layers[fc] = of_fc(staged);
  CHECK(same == staged);
  CHECK_FALSE(on_groups(staged, 3));
  CHECK_FALSE(on_groups(base_plan(8), 2));
}

TEST_CASE("on_groups: layers of chains stay where they are, ReLUs follow") {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 1, .size = {1, 4, 4}}},
                            {"open", {"data"}, FullyConnected{.outputs = 16}}};
  for (const char* number : {"1", "2", "3", "4"}) {
    const std::string before = layers.back().name;
    const std::string f = std::string("f") + number;
    layers.push_back({f, {before}, FullyConnected{.outputs = 16}});
    layers.push_back({"add" + f, {before, f}, Add{}});
  }
  layers.push_back({"hidden", {layers.back().name}, FullyConnected{.outputs = 16}});
  layers.push_back({"relu", {"hidden"}, Relu{}});
  layers.push_back({"few", {"relu"}, FullyConnected{.outputs = 2}});
  layers.push_back({"loss", {"few"}, SoftmaxCrossEntropy{}});
  const Plan base = uniform_plan(Network("f", layers), 2, Mesh({{Axis::r, 4}}));
  const Plan staged = chain_plans(base, {.cycles = 0, .partitions = 4}).at(0).plan;
  const std::optional<Plan> grouped = on_groups(staged, 4);
  REQUIRE(grouped);
  CHECK_NOTHROW(validate(*grouped, "plan.json"));
  for (const LayerIndex i : base.network.layers().indices()) {
    const std::string& name = base.network.layer(i).name;
    CAPTURE(name);
    const bool is_grouped = name == "open" || name == "hidden" || name == "relu";
    CHECK((grouped->layers[i].mesh.size(Axis::c) == 4) == is_grouped);
  }
}

TEST_CASE("solve: channels that may be split beside chains make no plan slower" *
          doctest::skip(is_slow_build)) {
  std::vector<Layer> layers = base_plan(1).network.layers().elements();
  const Layer loss = layers.back();
  layers.pop_back();
  for (const char* name : {"wide_1", "wide_2", "wide_3"}) {
    layers.push_back({name, {layers.back().name}, FullyConnected{.outputs = 8192}});
  }
  layers.push_back({loss.name, {layers.back().name}, loss.parameters});
  SolveRequest request = request_for(16, MultigridRequest{.partitions = 16});
  request.network = Network("wide", layers);
  request.batch = 1;
  const Plan plan = solve(request);
  CHECK(plan.layers[plan.layers.end_index() - 3].mesh.size(Axis::c) > 1);
  request.axes = {Axis::n};
  CHECK(plan.prediction.step_s < solve(request).prediction.step_s);
}

TEST_CASE("solve: multigrid is taken where it is allowed and faster" *
          doctest::skip(is_slow_build)) {
  const auto solved = [](int ranks, const std::optional<MultigridRequest>& multigrid) {
    SolveRequest request = request_for(ranks, multigrid);
    request.batch = 1;
    return solve(request);
  };
  CHECK(solved(16, std::nullopt).multigrid.empty());
  const Plan plan = solved(16, MultigridRequest{});
  CHECK_FALSE(plan.multigrid.empty());
  CHECK(plan.prediction.step_s < solved(16, std::nullopt).prediction.step_s);
  CHECK(plan.prediction.bound_s == 0.0);
  CHECK(solved(2, MultigridRequest{}).multigrid.empty());
}

TEST_CASE("solve: asked for partitions, it takes them, whatever is faster") {
  SolveRequest request = request_for(2, MultigridRequest{.partitions = 2});
  CHECK_FALSE(solve(request).multigrid.empty());
  request.multigrid = MultigridRequest{.cycles = 0, .partitions = 2};
  const Plan in_order = solve(request);
  CHECK(in_order.multigrid.empty());
  CHECK(in_order.layers.at(LayerIndex(4)).mesh.size(Axis::l) == 2);
  request.multigrid = MultigridRequest{.cycles = 0, .partitions = 1};
  request.batch = 4;
  CHECK(solve(request).multigrid.empty());
  request.multigrid = MultigridRequest{.partitions = 3};
  CHECK_THROWS_AS(solve(request), InputError);
}

// Returns a request for two ranks and a network with a chain of this many blocks.
SolveRequest request_with_chain(int blocks, const MultigridRequest& multigrid) {
  const std::string text = R"({"schema": "cnnplan.network/1", "name": "chain", "layers": [
    {"name": "data", "kind": "input", "channels": 4, "size": [8, 8]},
    {"repeat": )" + std::to_string(blocks) +
                           R"(, "name": "res", "layers": [
      {"name": "conv", "kind": "convolution", "filters": 4, "kernel": 3, "padding": 1},
      {"name": "relu", "kind": "relu"},
      {"name": "add", "kind": "add", "inputs": ["repeat_input", "prev"], "scale": 0.1}]},
    {"name": "fc", "kind": "fully_connected", "outputs": 4},
    {"name": "loss", "kind": "softmax_cross_entropy"}]})";
  SolveRequest request = request_for(2, multigrid);
  request.network = parse_network(text, "chain.json");
  return request;
}

TEST_CASE("solve: names the coarsening that splits short chains, and this coarsening does") {
  const SolveRequest request = request_with_chain(13, {.partitions = 2});
  REQUIRE(residual_chains(request.network).at(0).size() == 13);
  const InputProblem problem = problem_of([&] { solve(request); });
  CHECK(problem.file == "--partitions");
  CHECK(contains(problem.allowed, "--coarsening 2 splits them"));
  const SolveRequest given = request_with_chain(13, {.partitions = 2, .coarsening = 2});
  CHECK_FALSE(solve(given).multigrid.empty());
  CHECK(contains(short_chain_advice(request_with_chain(13, {})), "--coarsening 2 splits them"));
}

TEST_CASE("short_chain_advice: is empty where it is not needed or does not help") {
  CHECK(short_chain_advice(request_with_chain(16, {})).empty());
  CHECK(short_chain_advice(request_with_chain(13, {.coarsening = 2})).empty());
  CHECK(short_chain_advice(request_with_chain(13, {.cycles = 0})).empty());
  CHECK(short_chain_advice(request_with_chain(13, {.partitions = 3})).empty());
  CHECK(short_chain_advice(request_for(2, std::nullopt)).empty());
}

}  // namespace cnnplan::test
