// The search, its alternatives, and what the plan reports about them.
#include "planner/search/solve.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "planner/cost/collectives.hpp"
#include "planner/model/error.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/elimination.hpp"
#include "planner/search/longest_path_first.hpp"
#include "planner/search/pricing.hpp"
#include "planner/search/shortest_path.hpp"

namespace cnnplan {
namespace {

struct Scored {
  std::string name;
  Plan plan;
  double step_s = 0.0;
  std::int64_t bytes = 0;
};

Plan blank_plan(const SolveRequest& request) {
  Plan plan = uniform_plan(request.network, request.batch, Mesh({{Axis::r, request.ranks}}));
  plan.device =
      request.profile.fingerprint.device.empty() ? "" : to_text(request.profile.fingerprint);
  for (LayerPlan& layer : plan.layers) layer.statistics = request.statistics;
  return plan;
}

// Where the library's allreduce is fitted, the faster of it and the own ring for each use.
void choose_allreduce(Plan& plan, const PriceList& prices) {
  std::vector<int> all;
  for (int rank = 0; rank < plan.ranks; ++rank) all.push_back(rank);
  const auto faster = [&](double bytes) {
    const double ring = allreduce_time_s(prices.platform(), all, bytes, AllreduceAlgorithm::ring);
    const double library =
        allreduce_time_s(prices.platform(), all, bytes, AllreduceAlgorithm::library);
    return ring <= library ? AllreduceAlgorithm::ring : AllreduceAlgorithm::library;
  };
  constexpr double statistics_bytes = 4096.0;  // 2 C + 1 doubles of 256 channels
  plan.gradient_allreduce = faster(static_cast<double>(plan.bucket_bytes));
  plan.statistics_allreduce = faster(statistics_bytes);
}

// Branches: the paper's method, or the exact optimum where elimination finds a cheaper one.
Assignment search(const CostGraph& graph, SearchMethod method) {
  const bool line = is_line(graph);
  if (method == SearchMethod::shortest_path && !line) {
    throw InputError({.file = "",
                      .pointer = "",
                      .value = "--search shortest_path for a network with branches",
                      .allowed = "automatic or longest_path_first"});
  }
  if (line && method != SearchMethod::longest_path_first) return shortest_path(graph);
  Assignment assignment = longest_path_first(graph);
  if (method == SearchMethod::longest_path_first) return assignment;
  std::optional<Assignment> optimum = eliminate(graph).optimum;
  const bool better = optimum && total_cost(graph, *optimum) < total_cost(graph, assignment);
  return better ? std::move(*optimum) : assignment;
}

Scored score(std::string name, Plan plan, const PriceList& prices) {
  const auto schedules = lower_and_price(plan, prices);
  Scored scored{.name = std::move(name), .plan = std::move(plan)};
  scored.step_s = step_time_s(walk(schedules, prices.platform(), Estimate::likely));
  scored.bytes = most_memory(schedules, prices.platform()).total_bytes();
  return scored;
}

// Meshes worth trying on all layers: those that the input admits, the best few by additive cost.
std::vector<Mesh> uniform_meshes(const PricedNetwork& priced) {
  constexpr std::size_t most = 6;
  std::vector<std::pair<double, Mesh>> by_cost;
  for (const Mesh& mesh : priced.choices.units.front().meshes) {
    double cost = 0.0;
    for (std::size_t unit = 0; unit < priced.choices.units.size(); ++unit) {
      const auto& meshes = priced.choices.units[unit].meshes;
      const auto found = std::find(meshes.begin(), meshes.end(), mesh);
      cost += priced.graph.units[unit][static_cast<std::size_t>(
          found == meshes.end() ? 0 : found - meshes.begin())];
    }
    by_cost.emplace_back(cost, mesh);
  }
  // The first mesh splits over samples as far as possible: the baseline, always tried.
  std::stable_sort(by_cost.begin() + 1, by_cost.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  std::vector<Mesh> meshes;
  for (const auto& [cost, mesh] : by_cost) {
    if (meshes.size() < most) meshes.push_back(mesh);
  }
  return meshes;
}

void report(Prediction& prediction, const std::vector<Scored>& scored, std::size_t best) {
  double runner_up_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const bool same_meshes = scored[i].plan.layers == scored[best].plan.layers;
    if (same_meshes || scored[i].step_s >= runner_up_s) continue;
    runner_up_s = scored[i].step_s;
    prediction.runner_up = scored[i].name;
    prediction.runner_up_s = runner_up_s;
  }
  prediction.baseline = scored[1].name;
  prediction.baseline_s = scored[1].step_s;
}

// `available` is 0 where it is not known.
bool fits(std::int64_t bytes, std::int64_t available) {
  return available <= 0 || bytes <= available;
}

std::size_t fastest_that_fits(const std::vector<Scored>& scored, std::int64_t available) {
  std::size_t best = scored.size();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < scored.size(); ++i) {
    least = std::min(least, scored[i].bytes);
    if (!fits(scored[i].bytes, available)) continue;
    if (best == scored.size() || scored[i].step_s < scored[best].step_s) best = i;
  }
  if (best == scored.size()) {
    throw InfeasibleError("no plan fits: bytes of memory per rank", least, available);
  }
  return best;
}

Plan with_prediction(Plan plan, const PriceList& prices) {
  plan.prediction = predict(plan, prices);
  return plan;
}

// What the user asked for, without a search.
Plan uniform(const SolveRequest& request, const Plan& blank, const PriceList& prices) {
  const Mesh& mesh = *request.uniform;
  if (mesh.rank_count() != request.ranks) {
    throw InputError({.file = "",
                      .pointer = "",
                      .value = "--uniform " + to_text(mesh),
                      .allowed = "a mesh of " + std::to_string(request.ranks) + " ranks"});
  }
  Plan plan = with_prediction(mostly_on(blank, mesh_choices(blank), mesh), prices);
  const std::int64_t bytes = plan.prediction.memory.total_bytes();
  if (!fits(bytes, request.platform.memory_bytes)) {
    throw InfeasibleError(
        "this plan does not fit: bytes of memory per rank", bytes, request.platform.memory_bytes);
  }
  return plan;
}

}  // namespace

Plan solve(const SolveRequest& request) {
  const KernelCosts kernels(request.profile);
  const PriceList prices(request.platform, kernels);
  Plan blank = blank_plan(request);
  choose_allreduce(blank, prices);
  if (request.uniform) return uniform(request, blank, prices);
  const PricedNetwork priced = price_network(blank, prices);
  std::vector<Scored> scored;
  const Assignment assignment = search(priced.graph, request.method);
  scored.push_back(score("search", plan_of(blank, priced.choices, assignment), prices));
  for (const Mesh& mesh : uniform_meshes(priced)) {
    scored.push_back(score(to_text(mesh), mostly_on(blank, priced.choices, mesh), prices));
  }
  const std::size_t best = fastest_that_fits(scored, request.platform.memory_bytes);
  Plan plan = scored[best].plan;
  Prediction& prediction = plan.prediction;
  report(prediction, scored, best);
  for (const auto& unit : priced.graph.units) {
    prediction.candidates += static_cast<std::int64_t>(unit.size());
  }
  prediction.bound_s = lower_bound(priced.graph);
  plan = with_prediction(std::move(plan), prices);
  plan.prediction.gap =
      plan.prediction.bound_s > 0.0 ? plan.prediction.step_s / plan.prediction.bound_s - 1.0 : 0.0;
  return plan;
}

}  // namespace cnnplan
