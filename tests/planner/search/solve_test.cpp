// Checks that solve() finds plans that fit, and that no baseline is faster.
#include "planner/search/solve.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/platform/resized_platform.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

SolveRequest request_for(const Network& network, std::int64_t batch, int ranks) {
  return {.network = network,
          .ranks = ranks,
          .batch = batch,
          .platform = default_platform(ranks),
          .profile = {}};
}

SolveRequest request_for(const char* name, std::int64_t batch, int ranks) {
  return request_for(read_network("configs/networks/" + std::string(name) + ".json"), batch, ranks);
}

Mesh mesh_of(const Plan& plan, std::string_view name) {
  return plan.layers[plan.network.index_of(name).value()].mesh;
}

bool on_one_mesh(const Plan& plan, const Mesh& mesh) {
  return std::all_of(plan.layers.begin(), plan.layers.end(), [&](const LayerPlan& layer) {
    return layer.mesh == mesh;
  });
}

// The step that walking `plan` predicts.
double step_of(const Plan& plan, const SolveRequest& request) {
  const KernelCosts kernels(request.profile);
  return predict(plan, PriceList(request.platform, kernels)).step_s;
}

// Returns the plan of the cheapest assignment, which it finds by trying all.
Plan cheapest_plan(const Plan& solved, const SolveRequest& request) {
  const KernelCosts kernels(request.profile);
  const PriceList prices(request.platform, kernels);
  const PricedNetwork priced = price_network(solved, split_choices(solved), prices);
  return plan_of(solved, priced.choices, brute_force(priced.graph));
}

}  // namespace

TEST_CASE("solve: the plan is in the precision that was asked for, and needs its memory") {
  SolveRequest request = request_for("lenet", 8, 2);
  const Plan single = solve(request);
  CHECK(single.precision == Precision::fp32);
  request.precision = Precision::bf16;
  const Plan half = solve(request);
  CHECK(half.precision == Precision::bf16);
  CHECK(half.prediction.step_s < single.prediction.step_s);
}

TEST_CASE("solve: no plan is predicted slower than sample parallelism") {
  const std::vector<int> all_ranks = is_slow_build ? std::vector{1, 4} : std::vector{1, 2, 4, 8};
  for (const char* network : {"alexnet", "lenet", "mesh-1k", "resnet50", "vgg16"}) {
    for (int ranks : all_ranks) {
      CAPTURE(network);
      const SolveRequest request = request_for(network, 8, ranks);
      const Plan plan = solve(request);
      CHECK_NOTHROW(validate(plan, "plan"));
      CHECK(plan.prediction.step_s <= plan.prediction.baseline_s);
      CHECK(plan.prediction.step_s == step_of(plan, request));
      CHECK(plan.prediction.baseline == to_text(Mesh({{Axis::n, ranks}})));
      const Plan baseline = uniform_plan(request.network, request.batch, Mesh({{Axis::n, ranks}}));
      Plan same_choices = plan;
      same_choices.layers = baseline.layers;
      CHECK(plan.prediction.baseline_s == step_of(same_choices, request));
    }
  }
}

TEST_CASE("solve: for random networks too, and never slower than the cheapest by additive cost") {
  for (const NamedPlan& named : random_plans(12)) {
    CAPTURE(named.name);
    const Plan& sample = named.plan;
    const SolveRequest request = request_for(sample.network, sample.batch, sample.ranks);
    const Plan plan = solve(request);
    CHECK(plan.prediction.step_s <= plan.prediction.baseline_s);
    if (plan.prediction.candidates > 25) continue;
    CHECK(plan.prediction.step_s <= step_of(cheapest_plan(plan, request), request) * (1 + 1e-12));
  }
}

TEST_CASE("solve: never slower than a plan that counts on reductions in bulk") {
  const std::vector<int> all_ranks = is_slow_build ? std::vector{3} : std::vector{3, 4, 8};
  for (const char* network : {"alexnet", "resnet50", "mobilenet_v2"}) {
    for (int ranks : all_ranks) {
      CAPTURE(network);
      CAPTURE(ranks);
      const SolveRequest request = request_for(network, 8, ranks);
      const Plan plan = solve(request);
      const KernelCosts kernels(request.profile);
      const PriceList prices(request.platform, kernels);
      NetworkPricing pricing(plan, split_choices(plan), prices);
      for (const Assignment& assignment : step_lower_bound(pricing).assignments) {
        const Plan other = plan_of(plan, pricing.priced().choices, assignment);
        CHECK(plan.prediction.step_s <= step_of(other, request) * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("solve: no plan beats its bound") {
  std::vector<const char*> networks{"alexnet", "lenet", "mesh-2k"};
  std::vector<int> all_ranks{1, 4, 7};
  std::vector<std::int64_t> batches{15};
  if (!is_slow_build) {
    networks.insert(networks.end(), {"mesh-1k", "resnet50", "vgg16"});
    all_ranks.insert(all_ranks.end(), {2, 3, 5, 6, 8});
    batches.insert(batches.end(), {1, 4});
  }
  for (const char* network : networks) {
    for (const int ranks : all_ranks) {
      for (const std::int64_t batch : batches) {
        CAPTURE(network);
        CAPTURE(ranks);
        CAPTURE(batch);
        const Prediction prediction = solve(request_for(network, batch, ranks)).prediction;
        CHECK(prediction.bound_s > 0.0);
        CHECK(prediction.bound_s <= prediction.step_s * (1 + 1e-9));
        CHECK(prediction.gap >= 0.0);
        CHECK(prediction.gap ==
              doctest::Approx(prediction.step_s / prediction.bound_s - 1).epsilon(1e-6).scale(1));
      }
    }
  }
}

TEST_CASE("solve: layers whose gradients take long to reduce are replicated") {
  SolveRequest request = request_for("alexnet", 2, 2);
  request.axes = {Axis::n, Axis::h, Axis::w};
  for (Segment& segment : request.platform.levels.front().segments) segment.beta_s_per_byte = 1e-8;
  const Plan plan = solve(request);
  CHECK(plan.layers[plan.network.index_of("fc6").value()].mesh == parse_mesh("r2"));
  request.uniform = parse_mesh("r2");
  CHECK(plan.prediction.step_s <= solve(request).prediction.step_s);
}

TEST_CASE("solve: layers with many parameters are split over their channels") {
  SolveRequest request = request_for("vgg16", 64, 8);
  const Plan plan = solve(request);
  for (const char* layer : {"fc6", "fc7"}) {
    const LayerIndex index = plan.network.index_of(layer).value();
    CHECK(plan.layers[index].mesh.size(Axis::c) > 1);
  }
  request.axes = {Axis::n, Axis::h, Axis::w};
  const Plan positions = solve(request);
  CHECK(plan.prediction.step_s < positions.prediction.step_s);
  CHECK(plan.prediction.memory.parameters_bytes < positions.prediction.memory.parameters_bytes);
}

TEST_CASE("solve: an add listed before the unit of its input is planned") {
  for (int ranks : {1, 2, 4}) CHECK_NOTHROW(solve(request_for(backward_add(), 4, ranks)));
}

TEST_CASE(
    "solve: where blocks would be too small, ranks without a sample repeat the work of others") {
  SolveRequest request = request_for("googlenet", 8, 16);
  request.platform = resized(read_platform("configs/platforms/dgx-h100.json"), 2, 8);
  request.precision = Precision::bf16;
  const Plan plan = solve(request);
  const auto cuts_images = [](const LayerPlan& layer) {
    return layer.mesh.size(Axis::h) > 1 || layer.mesh.size(Axis::w) > 1;
  };
  CHECK(std::ranges::none_of(plan.layers, cuts_images));
  CHECK(plan.prediction.bound_s <= plan.prediction.step_s);
  SolveRequest repeated = request;
  repeated.uniform = parse_mesh("n8r2");
  CHECK(plan.prediction.step_s <= solve(repeated).prediction.step_s);
  request.axes = {Axis::h, Axis::w};
  CHECK(mesh_of(solve(request), "conv1").size(Axis::n) == 1);
}

TEST_CASE("solve: what is left out is counted") {
  const Plan plan = solve(request_for("resnet50", 1, 4));
  CHECK(plan.prediction.pruned == split_choices(plan).pruned);
  CHECK(plan.prediction.pruned > 0);
}

TEST_CASE("solve: the library's allreduce is chosen where it was measured only") {
  SolveRequest request = request_for("resnet50", 8, 4);
  const Plan defaults;
  const AllreduceFit free{.ranks = 2, .segments = {{1 << 30, 0.0, 0.0}}};
  request.platform.allreduce = {free};
  const auto check_both = [&](AllreduceAlgorithm gradients, AllreduceAlgorithm statistics) {
    const Plan plan = solve(request);
    CHECK(plan.gradient_allreduce == gradients);
    CHECK(plan.statistics_allreduce == statistics);
  };
  check_both(defaults.gradient_allreduce, defaults.statistics_allreduce);
  request.platform.allreduce[0].ranks = 4;
  check_both(AllreduceAlgorithm::library, AllreduceAlgorithm::library);
  request.platform.allreduce[0].segments[0].alpha_s = 1.0;
  check_both(AllreduceAlgorithm::ring, AllreduceAlgorithm::ring);
}

TEST_CASE("solve: sharded updates cost hardly more than plain ones where nothing was measured") {
  for (const int ranks : {4, 16}) {
    CAPTURE(ranks);
    SolveRequest request = request_for("vgg16", 64, ranks);
    request.platform = read_platform("configs/platforms/dgx-h100.json");
    request.axes = {Axis::n};
    const double plain_s = solve(request).prediction.step_s;
    request.sharded_update = true;
    const Plan sharded = solve(request);
    CHECK(sharded.prediction.step_s <= 1.1 * plain_s);
    const auto& operations = sharded.prediction.operations;
    CHECK(std::any_of(operations.begin(), operations.end(), [](const auto& operation) {
      return operation.estimated && operation.id.starts_with("reduce/");
    }));
  }
}

TEST_CASE("solve: over several nodes, fully connected layers may have channels before samples") {
  SolveRequest request = request_for("alexnet", 256, 64);
  request.platform = read_platform("configs/platforms/dgx-h100.json");
  const Plan plan = solve(request);
  const Mesh chosen = mesh_of(plan, "fc6");
  REQUIRE(chosen.axes().size() == 2);
  CHECK(chosen.axes().front().axis == Axis::c);
  // It is the order that makes it faster.
  Plan other = plan;
  for (LayerPlan& layer : other.layers) {
    if (layer.mesh == chosen) layer.mesh = Mesh({chosen.axes().back(), chosen.axes().front()});
  }
  CHECK(step_of(plan, request) < step_of(other, request));
  // Inside a node it makes none.
  request.ranks = 8;
  for (const LayerPlan& layer : solve(request).layers) {
    const auto& axes = layer.mesh.axes();
    CHECK((axes.size() < 2 || axes.front().axis != Axis::c));
  }
}

TEST_CASE(
    "solve: over several nodes, gathers go node by node where that is predicted to be faster") {
  SolveRequest request = request_for("alexnet", 8, 64);
  request.platform = read_platform("configs/platforms/lassen.json");
  const Plan plan = solve(request);
  const auto gathers = [](const LayerPlan& layer) { return layer.gather != GatherMethod::direct; };
  CHECK(std::ranges::count_if(plan.layers, gathers) > 0);
  // Each of them makes the step shorter.
  for (const LayerIndex layer : plan.layers.indices()) {
    if (!gathers(plan.layers[layer])) continue;
    Plan direct = plan;
    direct.layers[layer].gather = GatherMethod::direct;
    CHECK(step_of(plan, request) < step_of(direct, request));
  }
  // A node has none, and its plan says nothing about gathers.
  request.ranks = 4;
  CHECK(!contains(to_json(solve(request)), "\"gather\""));
}

TEST_CASE("solve: through thousands of ranks of a nominal platform no ring is planned") {
  SolveRequest request = request_for("lenet", 4096, 4096);
  request.platform = read_platform("configs/platforms/dgx-h200.json");
  CHECK(solve(request).gradient_allreduce == AllreduceAlgorithm::library);
  // Whose algorithm nobody knows is not guessed where other figures were measured.
  request.platform.measured = true;
  CHECK(solve(request).gradient_allreduce == AllreduceAlgorithm::rabenseifner);
  CHECK(solve(request).ranks_per_node == 8);
}

TEST_CASE(
    "solve: of the allreduces that were measured the fastest, or the one that was asked for") {
  SolveRequest request = request_for("resnet50", 8, 4);
  const auto fit = [](double s_per_byte, AllreduceAlgorithm algorithm) {
    return AllreduceFit{
        .ranks = 4, .segments = {{1 << 30, 0.0, s_per_byte}}, .algorithm = algorithm};
  };
  request.platform.allreduce = {fit(2e-12, AllreduceAlgorithm::library),
                                fit(1e-12, AllreduceAlgorithm::recursive_doubling),
                                fit(3e-12, AllreduceAlgorithm::rabenseifner)};
  CHECK(solve(request).gradient_allreduce == AllreduceAlgorithm::recursive_doubling);
  request.platform.allreduce.push_back(fit(5e-13, AllreduceAlgorithm::hierarchical));
  CHECK(solve(request).gradient_allreduce == AllreduceAlgorithm::hierarchical);
  request.platform.allreduce.pop_back();
  request.allreduce = AllreduceAlgorithm::rabenseifner;
  const Plan asked_for = solve(request);
  CHECK(asked_for.gradient_allreduce == AllreduceAlgorithm::rabenseifner);
  CHECK(asked_for.statistics_allreduce == AllreduceAlgorithm::recursive_doubling);
}

TEST_CASE("solve: a sharded update takes less memory and time where there are many parameters") {
  SolveRequest request = request_for("alexnet", 64, 8);
  request.uniform = Mesh({{Axis::n, 8}});
  const Plan whole = solve(request);
  request.sharded_update = true;
  const Plan sharded = solve(request);
  CHECK(sharded.sharded_update);
  CHECK(sharded.gradient_allreduce == AllreduceAlgorithm::ring);
  CHECK(sharded.prediction.step_s < whole.prediction.step_s);
  const auto bytes = static_cast<double>(whole.prediction.memory.parameters_bytes);
  const auto sharded_bytes = static_cast<double>(sharded.prediction.memory.parameters_bytes);
  CHECK(sharded_bytes / bytes == relative((2.0 + 1.0 / 8) / 3, 1e-3));
}

TEST_CASE("solve: with a sharded update, too, the plan is no better than its bound") {
  for (const char* network : {"lenet", "alexnet"}) {
    for (int ranks : {2, 8}) {
      for (const bool overlap : {false, true}) {
        CAPTURE(network);
        CAPTURE(ranks);
        SolveRequest request = request_for(network, 8, ranks);
        request.sharded_update = true;
        request.overlap = overlap;
        const Prediction prediction = solve(request).prediction;
        CHECK(prediction.bound_s > 0.0);
        CHECK(prediction.bound_s <= prediction.step_s);
        CHECK(prediction.step_s <= prediction.baseline_s);
      }
    }
  }
}

TEST_CASE("solve: with overlap, no known plan would be faster" * doctest::skip(is_slow_build)) {
  const Platform lassen = read_platform("configs/platforms/lassen.json");
  const Platform dgx = resized(read_platform("configs/platforms/dgx-h100.json"), 4, 8);
  std::vector<SolveRequest> requests{request_for("unet-2d", 8, 32), request_for("resnet50", 8, 64)};
  requests[0].platform = dgx;
  requests[0].precision = Precision::bf16;
  requests[1].platform = lassen;
  for (SolveRequest& request : requests) {
    CAPTURE(request.ranks);
    Plan without = solve(request);
    request.overlap = true;
    const Prediction with = solve(request).prediction;
    without.overlap = true;
    const KernelCosts kernels(request.profile, request.platform);
    CHECK(with.step_s <= predicted_step_s(without, PriceList(request.platform, kernels)));
    CHECK(with.step_s <= with.baseline_s);
    CHECK(!with.margins.empty());
  }
}

TEST_CASE("solve: with sample blocks, allreduces add as a tree, the faster one of each size") {
  SolveRequest request = request_for("lenet", 64, 8);
  request.uniform = Mesh({{Axis::n, 8}});
  request.sample_blocks = 16;
  request.statistics = BatchNormStatistics::global;
  const Plan plan = solve(request);
  CHECK_NOTHROW(validate(plan, "plan"));
  CHECK(plan.sample_blocks == 16);
  CHECK(plan.gradient_allreduce == AllreduceAlgorithm::rabenseifner);
  for (Segment& segment : request.platform.levels.front().segments) segment.alpha_s = 1.0;
  CHECK(solve(request).gradient_allreduce == AllreduceAlgorithm::recursive_doubling);
  CHECK(solve(request).statistics_allreduce == AllreduceAlgorithm::recursive_doubling);
}

TEST_CASE("solve: what does not fit with sample blocks is told a batch of whole blocks") {
  SolveRequest request = request_for("vgg16", 64, 2);
  request.uniform = Mesh({{Axis::n, 2}});
  request.sample_blocks = 8;
  request.platform.memory_bytes = std::int64_t{3} << 30;
  CHECK_THROWS_WITH_AS(solve(request), doctest::Contains("; a batch of "), InfeasibleError);
  try {
    solve(request);
  } catch (const InfeasibleError& error) {
    const std::string text = error.what();
    const std::string begin = "; a batch of ";
    const int batch = std::stoi(text.substr(text.find(begin) + begin.size()));
    CHECK(batch % 8 == 0);
    CHECK_FALSE(contains(text, "--sharded-update"));
  }
}

TEST_CASE("solve: a single sample is split in space") {
  const Plan plan = solve(request_for("mesh-1k", 1, 2));
  CHECK(plan.layers[LayerIndex(1)].mesh.size(Axis::h) *
            plan.layers[LayerIndex(1)].mesh.size(Axis::w) ==
        2);
}

TEST_CASE("solve: the runner-up is another plan and not faster") {
  const Plan plan = solve(request_for("resnet50", 8, 4));
  CHECK_FALSE(plan.prediction.runner_up.empty());
  CHECK(plan.prediction.runner_up_s >= plan.prediction.step_s);
}

TEST_CASE("solve: without a profile every kernel is estimated, and the device unknown") {
  const Plan plan = solve(request_for("lenet", 8, 2));
  CHECK(plan.device.empty());
  CHECK_FALSE(plan.prediction.estimated_kernels.empty());
}

TEST_CASE("solve: a uniform mesh is taken where it fits, with no search") {
  SolveRequest request = request_for("lenet", 8, 2);
  request.uniform = parse_mesh("n2");
  const Plan plan = solve(request);
  CHECK(on_one_mesh(plan, parse_mesh("n2")));
  CHECK(plan.prediction.step_s == step_of(plan, request));
  CHECK(plan.prediction.candidates == 0);
  CHECK(plan.prediction.baseline.empty());
}

// A few small layers of this network may have the mesh beside all other axes, too.
TEST_CASE("solve: a uniform mesh with repeated work is taken as it is") {
  for (const char* mesh : {"n2r4", "r8"}) {
    CAPTURE(mesh);
    SolveRequest request = request_for("mobilenet_v2", 2, 8);
    request.uniform = parse_mesh(mesh);
    CHECK(on_one_mesh(solve(request), *request.uniform));
  }
}

TEST_CASE("solve: a uniform mesh of another number of ranks is refused") {
  SolveRequest request = request_for("lenet", 8, 4);
  request.uniform = parse_mesh("n2");
  const InputProblem problem = problem_of([&] { solve(request); });
  CHECK(problem.file == "--uniform");
  CHECK(problem.value == "\"n2\"");
  CHECK(problem.allowed == "a mesh of 4 ranks");
}

TEST_CASE("solve: the statistics of the request are those of the plan") {
  SolveRequest request = request_for("resnet50", 4, 2);
  request.statistics = BatchNormStatistics::global;
  const Plan plan = solve(request);
  CHECK(std::all_of(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
    return layer.statistics == BatchNormStatistics::global;
  }));
}

TEST_CASE("solve: shortest path is for lines") {
  SolveRequest request = request_for("resnet50", 4, 2);
  request.method = SearchMethod::shortest_path;
  CHECK(contains(problem_of([&] { solve(request); }).value, "shortest_path"));
  SolveRequest line = request_for("vgg16", 4, 2);
  const Plan automatic = solve(line);
  line.method = SearchMethod::shortest_path;
  CHECK(solve(line) == automatic);
}

TEST_CASE("solve: the same request gives the same file") {
  for (const char* network : {"lenet", "resnet50"}) {
    const SolveRequest request = request_for(network, 4, 4);
    CHECK(to_json(solve(request)) == to_json(solve(request)));
  }
}

TEST_CASE("solve: what does not fit is refused with the bytes that are missing") {
  SolveRequest request = request_for("vgg16", 8, 2);
  request.platform.memory_bytes = 1 << 20;
  try {
    solve(request);
    FAIL("a network of 1.5 GiB fitted into 1 MiB");
  } catch (const InfeasibleError& error) {
    CHECK(error.exit_code() == ExitCode::infeasible);
    CHECK(error.available() == 1 << 20);
    request.platform.memory_bytes = error.needed() / 2;
    CHECK_THROWS_AS(solve(request), InfeasibleError);
    request.platform.memory_bytes = error.needed();
    CHECK(solve(request).prediction.memory.total_bytes() <= error.needed());
  }
}

// The network has batch norms after convolutions. On one rank there is nothing to split.
TEST_CASE("solve: where memory is short, just as much is computed again as has to be") {
  SolveRequest request = request_for("mesh-1k", 2, 1);
  request.network = with_input_size(request.network, {1, 128, 128});
  const auto again = [](const Plan& plan) {
    return std::count_if(plan.layers.begin(), plan.layers.end(), [](const LayerPlan& layer) {
      return layer.recompute;
    });
  };
  const Plan kept = solve(request);
  CHECK(again(kept) == 0);
  request.recompute = Recompute::always;
  const Plan all = solve(request);
  CHECK(again(all) > 10);
  CHECK(all.prediction.memory.total_bytes() < kept.prediction.memory.total_bytes());
  CHECK(all.prediction.step_s > kept.prediction.step_s);
  request.recompute = Recompute::where_needed;
  double before_s = kept.prediction.step_s;
  for (double share : {0.95, 0.8, 0.5, 0.2}) {
    CAPTURE(share);
    const auto most = static_cast<double>(kept.prediction.memory.total_bytes());
    const auto least = static_cast<double>(all.prediction.memory.total_bytes());
    request.platform.memory_bytes = static_cast<std::int64_t>(least + share * (most - least));
    const Plan plan = solve(request);
    CHECK(plan.prediction.memory.total_bytes() <= request.platform.memory_bytes);
    CHECK(plan.prediction.step_s >= before_s);
    CHECK(plan.prediction.step_s < all.prediction.step_s);
    CHECK(again(plan) > 0);
    before_s = plan.prediction.step_s;
  }
  request.recompute = Recompute::never;
  CHECK_THROWS_AS(solve(request), InfeasibleError);
}

// What the message of the refused request says, 0 where it says nothing.
std::int64_t batch_told(const SolveRequest& request) {
  try {
    solve(request);
    FAIL("fits");
  } catch (const InfeasibleError& error) {
    const std::string message = error.what();
    CHECK(contains(message, "keeping most: "));
    const std::string before = "; a batch of ";
    const std::size_t place = message.find(before);
    if (place != std::string::npos) return std::stoll(message.substr(place + before.size()));
  }
  return 0;
}

TEST_CASE("solve: where momentum in shards would fit, that is told") {
  SolveRequest request = request_for("alexnet", 64, 8);
  request.uniform = Mesh({{Axis::n, 8}});
  request.platform.memory_bytes = solve(request).prediction.memory.total_bytes() - 1;
  CHECK_THROWS_WITH_AS(
      solve(request), doctest::Contains("; with --sharded-update it fits"), InfeasibleError);
  request.sharded_update = true;
  CHECK(solve(request).prediction.memory.total_bytes() <= request.platform.memory_bytes);
  request.platform.memory_bytes /= 4;
  CHECK(batch_told(request) < request.batch);
}

TEST_CASE("solve: what does not fit is told by layers, with the largest batch that would") {
  SolveRequest request = request_for("mesh-1k", 24, 2);
  request.network = with_input_size(request.network, {1, 128, 128});
  request.uniform = parse_mesh("h2");
  const std::int64_t bytes = solve(request).prediction.memory.total_bytes();
  for (const std::int64_t share : {2, 3, 5}) {
    CAPTURE(share);
    request.batch = 24;
    request.platform.memory_bytes = bytes / share;
    const std::int64_t batch = batch_told(request);
    CHECK(batch > 0);
    request.batch = batch;
    CHECK_NOTHROW(solve(request));
    ++request.batch;
    CHECK_THROWS_AS(solve(request), InfeasibleError);
  }
  request.batch = 24;
  request.platform.memory_bytes = 1;
  CHECK(batch_told(request) == 0);
  request.uniform.reset();
  CHECK(batch_told(request) == 0);
}

TEST_CASE("solve: a plan that fits is taken before a faster one that does not") {
  // One rank may get two of three samples, or both ranks may get halves of each. Slow links make
  // whole samples faster.
  SolveRequest request = request_for("mesh-1k", 3, 2);
  for (Segment& segment : request.platform.levels.front().segments) segment.alpha_s = 1.0;
  const std::int64_t fastest = solve(request).prediction.memory.total_bytes();
  request.platform.memory_bytes = 1;
  std::int64_t least = 0;
  try {
    solve(request);
  } catch (const InfeasibleError& error) {
    least = error.needed();
  }
  REQUIRE(least > 0);
  REQUIRE(least < fastest);
  request.platform.memory_bytes = fastest - 1;
  const Plan plan = solve(request);
  CHECK(plan.prediction.memory.total_bytes() < fastest);
}

}  // namespace cnnplan::test
