// Solves: prices the splits, searches among them, scores the best plans and takes the fastest.
#include "planner/search/solve.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/blank_plan.hpp"
#include "planner/search/explain/margins.hpp"
#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/graph/shortest_path.hpp"
#include "planner/search/graph/vertex_path.hpp"
#include "planner/search/plans/halo_methods.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "planner/search/plans/near_ties.hpp"
#include "planner/search/plans/partitioning.hpp"
#include "planner/search/plans/scores.hpp"
#include "planner/search/plans/too_large.hpp"
#include "planner/search/plans/within_memory.hpp"
#include "planner/search/pricing/gather_choice.hpp"
#include "planner/search/pricing/pricing.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

struct CandidatePlan {
  SearchOrigin origin{};
  Assignment assignment;
  OperationSum sum{};  // the assignment costs least in this sum
  Score score{};
};

// Finds the shortest path of networks that are a line. For networks with branches, finds the exact
// optimum of the additive cost by elimination. If that is too large, takes the longest path first,
// as the paper does.
std::vector<CandidatePlan> search(NetworkPricing& pricing, SearchMethod method) {
  const bool line = is_line(pricing.priced().graph);
  if (method == SearchMethod::shortest_path && !line) {
    throw InputError({.file = "--search",
                      .pointer = "",
                      .value = "shortest_path for a network with branches",
                      .allowed = "automatic or longest_path"});
  }
  if (method == SearchMethod::longest_path_first) {
    return {{SearchOrigin::longest_path_first, longest_path_first(pricing.price_all().graph)}};
  }
  const bool by_vertices = method == SearchMethod::shortest_path;
  const auto solver = by_vertices ? shortest_path_of_vertices : shortest_path;
  if (line) return {{SearchOrigin::shortest_path, cheapest_assignment_by(pricing, solver)}};
  if (std::optional<Assignment> optimum = cheapest_assignment(pricing)) {
    return {{SearchOrigin::least_additive_cost, std::move(*optimum)}};
  }
  return {{SearchOrigin::longest_path_first, longest_path_first(pricing.priced().graph)}};
}

// Adds uniform splits until one fits, sample parallelism first. The first split is the baseline.
// The split that fits limits how long a step may take.
void score_baselines(const Plan& blank,
                     const SplitChoices& choices,
                     Recompute recompute,
                     Scores& scores) {
  const std::vector<Split>& splits = choices.units.front().splits;
  for (const Split& split : splits) {
    scores.add({UniformOrigin{.split = split}}, mostly_on(blank, choices, split));
    if (scores.any_fits()) return;
  }
  if (recompute != Recompute::where_needed) return;
  for (const Split& split : splits) {
    scores.add({UniformOrigin{.split = split, .recomputed = true}},
               recomputed(mostly_on(blank, choices, split)));
    if (scores.any_fits()) return;
  }
}

void add_known(const std::vector<ScoredPlan>& known, Scores& scores) {
  for (const ScoredPlan& plan : known) scores.add(plan.origin, plan.plan);
}

// Scores the baselines, and plans that are known before the search. Both limit how long a step may
// take.
Scores first_scores(const Plan& blank,
                    const SplitChoices& choices,
                    Recompute recompute,
                    const std::vector<ScoredPlan>& known,
                    const PriceList& prices) {
  Scores scores(prices);
  score_baselines(blank, choices, recompute, scores);
  add_known(known, scores);
  return scores;
}

// Holds the plans that a search scored, and the prices that it searched with.
struct Search {
  Search(const SolveRequest& request,
         const Plan& plan,
         std::vector<ScoredPlan> known_plans,
         const PriceList& price_list)
      : blank(plan),
        prices(price_list),
        known(std::move(known_plans)),
        choices(split_choices(blank, request.axes)),
        scores(first_scores(blank, choices, request.recompute, known, prices)),
        pricing(blank, choices, prices, scores.least_step_s()),
        bound(step_lower_bound(pricing)) {}

  // Returns the scores from which the plan is taken.
  const Scores& answers() const { return partitioned ? *partitioned : scores; }

  Plan blank;
  const PriceList& prices;
  std::vector<ScoredPlan> known;  // before the search
  SplitChoices choices;
  Scores scores;
  NetworkPricing pricing;
  StepLowerBound bound;
  std::optional<NetworkPricing> with_recompute{};
  std::optional<Scores> partitioned{};  // plans with the requested number of partitions
};

// Returns the splits to try on all layers: of the splits that most units may take, the few with the
// least known additive cost.
std::vector<Split> uniform_splits(const PricedNetwork& priced) {
  constexpr std::size_t most = 4;
  const auto& units = priced.choices.units;
  std::vector<std::pair<double, Split>> by_cost;
  for (const Split& split : units.front().splits) {
    const auto takers = std::count_if(
        units.begin(), units.end(), [&](const UnitSplits& unit) { return unit.may_take(split); });
    if (2 * takers < static_cast<std::ptrdiff_t>(units.size())) continue;
    by_cost.emplace_back(total_cost(priced.graph, mostly_on(priced.choices, split)), split);
  }
  std::stable_sort(by_cost.begin(), by_cost.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  std::vector<Split> splits;
  for (const auto& [cost, split] : by_cost) {
    if (splits.size() < most) splits.push_back(split);
  }
  return splits;
}

// Returns the assignments behind the bound, one for each probed rank. There are none if the graphs
// of the probed ranks are too entangled.
std::vector<CandidatePlan> optima_by_rank(const StepLowerBound& bound, int ranks) {
  std::vector<CandidatePlan> found;
  for (std::size_t i = 0; i < bound.assignments.size(); ++i) {
    found.push_back({.origin = SearchOrigin::least_work_of_a_rank,
                     .assignment = bound.assignments[i],
                     .sum = {.rank = probe_ranks(ranks)[i]}});
  }
  return found;
}

void score_candidates(const Plan& blank,
                      const SplitChoices& choices,
                      std::vector<CandidatePlan>& found,
                      Scores& scores) {
  for (CandidatePlan& plan : found) {
    plan.score = scores.add({plan.origin}, plan_of(blank, choices, plan.assignment));
  }
}

// Returns the fastest plan that fits, if any does.
const CandidatePlan* fastest_of(const std::vector<CandidatePlan>& found) {
  const CandidatePlan* fastest = nullptr;
  for (const CandidatePlan& plan : found) {
    if (!plan.score.fits) continue;
    if (fastest == nullptr || plan.score.step_s < fastest->score.step_s) fastest = &plan;
  }
  return fastest;
}

// Adds the plans that the search finds, the plans behind the bound, and near ties of the fastest of
// these plans.
// @returns true if the first plan that the search finds fits
bool add_searched(const Plan& blank,
                  SearchMethod method,
                  const StepLowerBound& bound,
                  NetworkPricing& pricing,
                  Scores& scores) {
  std::vector<CandidatePlan> found = search(pricing, method);
  const bool all_ways = method != SearchMethod::longest_path_first;
  // With overlap, the work of a rank leaves out all messages, so that these plans move too much.
  if (all_ways && !blank.overlap) {
    for (CandidatePlan& plan : optima_by_rank(bound, blank.ranks)) found.push_back(std::move(plan));
  }
  score_candidates(blank, pricing.priced().choices, found, scores);
  const CandidatePlan* fastest = fastest_of(found);
  if (all_ways && fastest != nullptr) {
    add_near_ties(blank, pricing, pricing.priced().graph_of(fastest->sum, blank.ranks), scores);
  }
  return found.front().score.fits;
}

// Returns the searched axes that leave the inner dims of positions whole.
std::vector<Axis> outer_axes(const SolveRequest& request) {
  constexpr std::array positions{
      std::pair{Dim::d, Axis::d}, std::pair{Dim::h, Axis::h}, std::pair{Dim::w, Axis::w}};
  const Shape sample = request.network.output_shape(LayerIndex(0), 1);
  std::vector<Axis> axes = request.axes;
  bool is_inner = false;
  for (const auto& [dim, axis] : positions) {
    if (is_inner) std::erase(axes, axis);
    is_inner = is_inner || sample[dim] > 1;
  }
  return axes;
}

// Adds plans for machines that can hide halos. Halos in the outermost dim then cost less than the
// sum says, but halos in other dims are cheaper in the sum.
void add_overlapped(const SolveRequest& request,
                    const Plan& blank,
                    const PriceList& prices,
                    Scores& scores) {
  if (overlap_of(blank, request.platform) <= 0.0) return;
  const std::vector<Axis> axes = outer_axes(request);
  if (axes.size() < request.axes.size()) {
    NetworkPricing pricing(blank, split_choices(blank, axes), prices, scores.least_step_s());
    std::vector<CandidatePlan> found = search(pricing, request.method);
    score_candidates(blank, pricing.priced().choices, found, scores);
  }
  add_interior_strips(prices, request.only_profiled, scores);
}

// Adds uniform splits that may still be the fastest in virtual time, where ranks wait for each
// other.
void add_uniform(const Plan& blank, const PricedNetwork& priced, Scores& scores) {
  for (const Split& split : uniform_splits(priced)) {
    const Assignment assignment = mostly_on(priced.choices, split);
    double least_s = 0.0;
    for (const CostGraph& least : priced.least) {
      least_s = std::max(least_s, total_cost(least, assignment));
    }
    if (least_s + priced.updates_s >= scores.least_step_s()) continue;
    scores.add({UniformOrigin{.split = split}}, mostly_on(blank, priced.choices, split));
  }
}

// Adds data parallelism over as many ranks as have samples, where more ranks repeat their work. The
// search leaves this split out where all ranks could have work of their own. But small blocks may
// cost more in halos than they save.
void add_repeated_samples(const SolveRequest& request, const Plan& blank, Scores& scores) {
  const auto& axes = request.axes;
  if (std::find(axes.begin(), axes.end(), Axis::n) == axes.end()) return;
  const SplitChoices choices = split_choices(blank, {Axis::n});
  const Split& split = choices.units.front().splits.front();
  if (split.mesh.size(Axis::r) == 1) return;
  scores.add({UniformOrigin{.split = split}}, entirely_on(blank, choices, split));
}

[[noreturn]] void refuse_partitions(const MultigridRequest& request, const std::string& advice) {
  throw InputError({.file = "--partitions",
                    .pointer = "",
                    .value = std::to_string(request.partitions),
                    .allowed = "a divisor of the ranks, at most a chain's number of coarse steps, "
                               "that leaves no more ranks for a partition than there are samples" +
                               (advice.empty() ? "" : "; " + advice)});
}

// Adds the fastest plan so far with fully connected layers on groups of stages, if it has stages.
void add_groups(const SolveRequest& request, Scores& scores) {
  const bool splits_channels =
      std::find(request.axes.begin(), request.axes.end(), Axis::c) != request.axes.end();
  if (!splits_channels || !scores.any_fits()) return;
  const Plan fastest = scores.fastest();
  for (int stages : {2, 4, 8}) {
    std::optional<Plan> plan = on_groups(fastest, stages);
    if (plan) scores.add({GroupOrigin{.stages = stages}}, std::move(*plan));
  }
}

// Adds plans that split residual chains by layers. Other layers are as in the fastest plan of
// `known`, or all ranks compute them alike, or they are on one stage each. Returns the number of
// plans.
std::size_t add_chains(const SolveRequest& request,
                       const Plan& blank,
                       const PriceList& prices,
                       const Scores& known,
                       Scores& scores) {
  MultigridRequest multigrid = *request.multigrid;
  multigrid.profiled_concurrencies = prices.kernels().concurrencies();
  std::vector<ProposedPlan> plans;
  if (known.any_fits()) plans = chain_plans(known.fastest(), multigrid);
  const bool has_others = !plans.empty();
  for (ProposedPlan& proposed : chain_plans(blank, multigrid)) {
    const bool is_wanted = has_others_by_stage(proposed.origin) || !has_others;
    if (is_wanted) plans.push_back(std::move(proposed));
  }
  for (auto& [origin, plan] : plans) scores.add(origin, std::move(plan));
  add_groups(request, scores);
  return plans.size();
}

// Adds the steps of the fastest plan by multigrid, whether that plan is taken or not.
void add_partitioning(const Scores& scores, const PriceList& prices, Prediction& prediction) {
  const auto by_multigrid =
      scores.fastest_of([](const Plan& plan) { return !plan.multigrid.empty(); });
  if (by_multigrid) prediction.partitioning = partitioning_of(*by_multigrid, prices);
}

// Scores the plans with the requested number of partitions.
void add_partitioned(const SolveRequest& request, Search& search) {
  Scores& own = search.partitioned.emplace(search.prices);
  if (add_chains(request, search.blank, search.prices, search.scores, own) == 0) {
    refuse_partitions(*request.multigrid, short_chain_advice(request));
  }
  add_known(search.known, own);
}

// Returns the fastest plan with the requested number of partitions. Its baseline is that of
// `search.scores`.
Plan with_partitions(const Search& search) {
  Plan plan = search.partitioned->fastest();
  search.scores.add_baseline(plan.prediction);
  add_partitioning(*search.partitioned, search.prices, plan.prediction);
  return plan;
}

// Sets the bound and the gap, which only rounding could make negative. A plan of splits that were
// not weighed may be faster than the bound, which then says nothing about it.
void add_bound(Prediction& prediction, double bound_s) {
  constexpr double rounding = 1e-6;
  if (prediction.step_s < bound_s * (1.0 - rounding)) return;
  prediction.bound_s = bound_s;
  if (bound_s > 0.0) prediction.gap = std::max(0.0, prediction.step_s / bound_s - 1.0);
}

void add_counts(Prediction& prediction, const PricedNetwork& priced) {
  prediction.pruned = priced.choices.pruned;
  prediction.outpriced = priced.outpriced;
  for (const auto& unit : priced.graph.units) {
    prediction.candidates += static_cast<std::int64_t>(unit.size());
  }
}

// Returns the uniform plan that the user asked for, without a search.
Plan uniform(const SolveRequest& request, const Plan& blank, const PriceList& prices) {
  const Mesh& mesh = *request.uniform;
  if (mesh.rank_count() != request.ranks) {
    throw InputError({.file = "--uniform",
                      .pointer = "",
                      .value = '"' + to_text(mesh) + '"',
                      .allowed = "a mesh of " + std::to_string(request.ranks) + " ranks"});
  }
  Plan plan = with_prediction(with_gathers(mostly_on(blank, mesh), request.platform), prices);
  const std::int64_t bytes = plan.prediction.memory.total_bytes();
  if (!fits(bytes, request.platform.memory_bytes)) {
    throw InfeasibleError(
        "this plan does not fit (" + why_too_large(plan, prices) + "): memory per rank",
        bytes,
        request.platform.memory_bytes);
  }
  return plan;
}

// Adds the plans that every search scores, with or without overlap.
void add_plans(const SolveRequest& request, Search& search) {
  const Plan& blank = search.blank;
  Scores& scores = search.scores;
  const bool all_fit = add_searched(blank, request.method, search.bound, search.pricing, scores);
  add_uniform(blank, search.pricing.priced(), scores);
  add_repeated_samples(request, blank, scores);
  if (!all_fit) {
    add_within_memory(blank, search.pricing.price_all(), scores);
    if (request.recompute == Recompute::where_needed) {
      const SplitChoices again = split_choices_with_recompute(blank, request.axes);
      search.with_recompute.emplace(blank, again, search.prices, scores.least_step_s());
      add_within_memory(blank, search.with_recompute->price_all(), scores);
    }
  }
  if (!request.multigrid) return;
  if (request.multigrid->partitions > 0) {
    add_partitioned(request, search);
  } else {
    add_chains(request, blank, search.prices, scores, scores);
  }
}

// Returns the fastest plans of the search without overlap, as plans with overlap. A sum of costs
// does not know which messages kernels hide, so that the search with overlap may miss these plans.
// If they are known to it, its plan is never slower than the plan without overlap would be with it.
std::vector<ScoredPlan> found_without_overlap(const SolveRequest& request,
                                              Plan blank,
                                              const PriceList& prices) {
  constexpr std::size_t most = 8;
  blank.overlap = false;
  Search search(request, blank, {}, prices);
  add_plans(request, search);
  std::vector<ScoredPlan> found = search.answers().fastest_that_fit(most);
  for (ScoredPlan& scored : found) scored.plan.overlap = true;
  return found;
}

Solution searched(const SolveRequest& request, const Plan& blank, const PriceList& prices) {
  std::vector<ScoredPlan> known;
  if (blank.overlap) known = found_without_overlap(request, blank, prices);
  Search search(request, blank, std::move(known), prices);
  add_plans(request, search);
  if (search.partitioned) return {.plan = with_partitions(search)};
  add_overlapped(request, blank, prices, search.scores);
  Solution solution{.plan = search.scores.fastest(), .next = search.scores.next()};
  Plan& plan = solution.plan;
  if (request.multigrid) add_partitioning(search.scores, prices, plan.prediction);
  if (is_split_by_layers(plan)) return solution;
  PlanMargins found_margins = margins(blank, plan, search.pricing);
  if (found_margins.units.empty() && search.with_recompute) {
    found_margins = margins(blank, plan, *search.with_recompute);
  }
  plan.prediction.margins = std::move(found_margins.units);
  plan.prediction.margins_sum = found_margins.sum;
  add_counts(plan.prediction, search.pricing.priced());
  add_bound(plan.prediction, search.bound.seconds + prices.kernels().step_overhead_s());
  return solution;
}

}  // namespace

std::string short_chain_advice(const SolveRequest& request) {
  if (!request.multigrid) return "";
  const int coarsening = coarsening_of_short_chains(blank_plan(request), *request.multigrid);
  if (coarsening == 0) return "";
  return "the residual chains are too short for " + std::to_string(least_coarse_steps) +
         " coarse steps, and with fewer steps two cycles are far from the layers in order; "
         "--coarsening " +
         std::to_string(coarsening) + " splits them all the same";
}

Solution solution_of(const SolveRequest& request) {
  const KernelCosts kernels(request.profile, request.platform);
  const PriceList prices(request.platform, kernels);
  const Plan blank = blank_plan_with_reductions(request);
  Solution solution = request.uniform ? Solution{.plan = uniform(request, blank, prices)}
                                      : searched(request, blank, prices);
  solution.plan.prediction.inference_s = predicted_inference_s(solution.plan, prices);
  return solution;
}

Plan solve(const SolveRequest& request) {
  return solution_of(request).plan;
}

}  // namespace cnnplan
