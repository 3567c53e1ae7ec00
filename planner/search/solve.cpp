// The search, its alternatives, and what the plan reports about them.
#include "planner/search/solve.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "planner/cost/collectives.hpp"
#include "planner/model/error.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/elimination.hpp"
#include "planner/search/longest_path_first.hpp"
#include "planner/search/pricing.hpp"
#include "planner/search/scores.hpp"
#include "planner/search/shortest_path.hpp"

namespace cnnplan {
namespace {

Plan blank_plan(const SolveRequest& request) {
  Plan plan = uniform_plan(request.network, request.batch, Mesh({{Axis::r, request.ranks}}));
  plan.precision = request.precision;
  plan.overlap = request.overlap;
  plan.device =
      request.profile.fingerprint.device.empty() ? "" : to_text(request.profile.fingerprint);
  for (LayerPlan& layer : plan.layers) layer.statistics = request.statistics;
  return plan;
}

// Where the library's allreduce was measured, the faster of it and the own ring for each use; else
// the defaults stay.
void choose_allreduce(Plan& plan, const PriceList& prices) {
  if (!has_library_fit(prices.platform(), plan.ranks)) return;
  std::vector<int> all(static_cast<std::size_t>(plan.ranks));
  std::iota(all.begin(), all.end(), 0);
  const auto faster = [&](double bytes) {
    const double ring = allreduce_time_s(prices.platform(), all, bytes, AllreduceAlgorithm::ring);
    const double library =
        allreduce_time_s(prices.platform(), all, bytes, AllreduceAlgorithm::library);
    return ring <= library ? AllreduceAlgorithm::ring : AllreduceAlgorithm::library;
  };
  constexpr double statistics_bytes = (2 * 256 + 1) * 8.0;  // of a batch norm with 256 channels
  plan.gradient_allreduce = faster(static_cast<double>(plan.bucket_bytes));
  plan.statistics_allreduce = faster(statistics_bytes);
}

struct Found {
  std::string name;
  Assignment assignment;
};

// Lines: the shortest path. Branches: the paper's method and, where elimination reaches it, the
// exact optimum of the additive cost.
std::vector<Found> search(const CostGraph& graph, SearchMethod method) {
  const bool line = is_line(graph);
  if (method == SearchMethod::shortest_path && !line) {
    throw InputError({.file = "--search",
                      .pointer = "",
                      .value = "shortest_path for a network with branches",
                      .allowed = "automatic or longest_path_first"});
  }
  if (line && method != SearchMethod::longest_path_first) {
    return {{"shortest path", shortest_path(graph)}};
  }
  std::vector<Found> found{{"longest path first", longest_path_first(graph)}};
  if (method == SearchMethod::longest_path_first) return found;
  std::optional<Assignment> optimum = eliminate(graph).optimum;
  if (optimum) found.push_back({"least additive cost", std::move(*optimum)});
  return found;
}

// Meshes worth trying on all layers: those that the input admits, the best few by additive cost.
// The first splits over samples as far as possible: the baseline, always tried.
std::vector<Mesh> uniform_meshes(const PricedNetwork& priced) {
  constexpr std::size_t most = 4;
  std::vector<std::pair<double, Mesh>> by_cost;
  for (const Mesh& mesh : priced.choices.units.front().meshes) {
    const double cost = total_cost(priced.graph, mostly_on(priced.choices, mesh));
    by_cost.emplace_back(cost, mesh);
  }
  std::stable_sort(by_cost.begin() + 1, by_cost.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  std::vector<Mesh> meshes;
  for (const auto& [cost, mesh] : by_cost) {
    if (meshes.size() < most) meshes.push_back(mesh);
  }
  return meshes;
}

// The gap is not below 0 but for rounding.
void add_bound(Prediction& prediction, double bound_s) {
  prediction.bound_s = bound_s;
  if (bound_s > 0.0) prediction.gap = std::max(0.0, prediction.step_s / bound_s - 1.0);
}

// What the user asked for, without a search.
Plan uniform(const SolveRequest& request, const Plan& blank, const PriceList& prices) {
  const Mesh& mesh = *request.uniform;
  if (mesh.rank_count() != request.ranks) {
    throw InputError({.file = "--uniform",
                      .pointer = "",
                      .value = '"' + to_text(mesh) + '"',
                      .allowed = "a mesh of " + std::to_string(request.ranks) + " ranks"});
  }
  Plan plan = with_prediction(mostly_on(blank, mesh_choices(blank), mesh), prices);
  const std::int64_t bytes = plan.prediction.memory.total_bytes();
  if (!fits(bytes, request.platform)) {
    throw InfeasibleError(
        "this plan does not fit: bytes of memory per rank", bytes, request.platform.memory_bytes);
  }
  return plan;
}

}  // namespace

Plan solve(const SolveRequest& request) {
  const KernelCosts kernels(request.profile, request.platform);
  const PriceList prices(request.platform, kernels);
  Plan blank = blank_plan(request);
  choose_allreduce(blank, prices);
  if (request.uniform) return uniform(request, blank, prices);
  const PricedNetwork priced = price_network(blank, prices);
  Scores scores(prices);
  for (const Mesh& mesh : uniform_meshes(priced)) {
    scores.add(to_text(mesh), mostly_on(blank, priced.choices, mesh));
  }
  for (const Found& found : search(priced.graph, request.method)) {
    scores.add(found.name, plan_of(blank, priced.choices, found.assignment));
  }
  if (!scores.any_fits()) {
    for (const Mesh& mesh : all_meshes(priced.choices)) {
      scores.add(to_text(mesh), mostly_on(blank, priced.choices, mesh));
    }
  }
  Plan plan = scores.fastest();
  plan.prediction.pruned = priced.choices.pruned;
  for (const auto& unit : priced.graph.units) {
    plan.prediction.candidates += static_cast<std::int64_t>(unit.size());
  }
  add_bound(plan.prediction, least_step_s(priced));
  return plan;
}

}  // namespace cnnplan
