// Predicts the rivals of a plan, each for the same draws.
#include "planner/search/rivals.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/plan/part_times.hpp"
#include "planner/plan/rival_plan.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/blank_plan.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/explain/error_draws.hpp"

namespace cnnplan {
namespace {

std::int64_t reduced_gradients(const Schedule& schedule) {
  std::int64_t elements = 0;
  for (const GradientRange& range : schedule.gradient_ranges) {
    if (range.group.size() == 1) continue;
    for (SlotIndex i = range.first_slot; i <= range.last_slot; ++i) {
      elements += schedule.slots[i].elements;
    }
  }
  return elements;
}

bool may_be_drawn(const Plan& plan, const RankClasses& classes) {
  const std::int64_t schedules = classes.count();
  return schedules * plan.network.layer_count() <= most_drawn_layers;
}

// Holds a prediction and what it was made of, from one lowering.
struct Predicted {
  Prediction prediction{};
  std::int64_t reduced_gradients = 0;  // of rank 0, which has the largest blocks
  PricedPlan priced{};                 // has no schedules if errors may not be drawn for the plan

  bool is_kept() const { return !priced.schedules.empty(); }
};

Predicted predicted(const Plan& plan, const PriceList& prices) {
  RankClasses classes = RankClasses::of(plan, prices.platform());
  Predicted result{.priced = {.classes = classes, .schedules = {}}};
  const bool keeps = may_be_drawn(plan, classes);
  if (keeps) result.priced.schedules.resize(static_cast<std::size_t>(classes.count()));
  const auto first = static_cast<std::size_t>(classes.class_of(0));
  const auto look = [&](std::size_t i, PricedSchedule& made) {
    if (i == first) result.reduced_gradients = reduced_gradients(made.schedule);
    if (keeps) result.priced.schedules[i] = std::move(made);
  };
  result.prediction = predict(plan, std::move(classes), prices, look);
  return result;
}

// Returns a mesh of the samples alone.
Mesh samples_over(int ranks) {
  return Mesh({{Axis::n, ranks}});
}

// Predicts rivals with the prices and the draws of one plan.
class Rivals {
 public:
  explicit Rivals(const PriceList& prices) : prices_(prices) {}

  // Draws errors for the plan, and counts its gradients.
  void add_draws(Plan& plan) {
    const RankClasses classes = RankClasses::of(plan, prices_.platform());
    draws_ = may_be_drawn(plan, classes);
    if (!draws_) {
      const Schedule first = lower(plan, 0, {.detail = Detail::priced});
      plan.prediction.reduced_gradients = reduced_gradients(first);
      return;
    }
    const PricedPlan priced =
        lower_and_price(plan, classes, prices_, detail_for_steps(plan, prices_.platform()));
    const auto first = static_cast<std::size_t>(classes.class_of(0));
    plan.prediction.reduced_gradients = reduced_gradients(priced.schedules[first].schedule);
    figures_ = drawn_figures(priced, prices_.platform());
    plan.prediction.draws = {.figures = figures_,
                             .steps_s = drawn_steps_s(plan, priced, prices_, figures_)};
  }

  Rival rival(RivalKind kind, const std::string& name, const Plan& plan) const {
    const Predicted own = predicted(plan, prices_);
    const std::int64_t bytes = own.prediction.memory.total_bytes();
    Rival rival{.kind = kind,
                .plan = name,
                .ranks = plan.ranks,
                .step_s = own.prediction.step_s,
                .memory_bytes = bytes,
                .fits = fits(bytes, prices_.platform().memory_bytes),
                .reduced_gradients = own.reduced_gradients,
                .parts = parts_of(own.prediction),
                .settings = settings_of(plan)};
    if (draws_ && own.is_kept()) {
      rival.draws_s = drawn_steps_s(plan, own.priced, prices_, figures_);
    }
    return rival;
  }

 private:
  const PriceList& prices_;
  std::vector<DrawnFigure> figures_;
  bool draws_ = false;
};

// Returns the numbers of ranks on which data parallelism is tried, the largest first. Each has a
// sample for every rank, and with blocks of samples, equally many blocks.
std::vector<int> rank_counts(const SolveRequest& request) {
  std::vector<int> counts{static_cast<int>(std::min<std::int64_t>(request.ranks, request.batch))};
  for (int ranks = request.ranks; ranks >= 1; ranks /= 2) counts.push_back(ranks);
  std::sort(counts.rbegin(), counts.rend());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::erase_if(counts, [&](int ranks) {
    return ranks > request.batch ||
           (request.sample_blocks > 1 && request.sample_blocks % ranks != 0);
  });
  return counts;
}

// Holds a data-parallel plan with its score.
struct Run {
  Plan plan;
  double step_s = 0.0;
  bool fits = false;
};

Run scored(Plan plan, const PriceList& prices) {
  const PlanWork work = work_of(plan, prices);
  const double step_s = step_time_s(walk(work, walk_options(plan, prices)));
  const bool is_small = fits(work.memory.total_bytes(), prices.platform().memory_bytes);
  return {.plan = std::move(plan), .step_s = step_s, .fits = is_small};
}

Run data_parallel(const SolveRequest& request, int ranks, const PriceList& prices) {
  SolveRequest own = request;
  own.ranks = ranks;
  const Plan blank = blank_plan_with_reductions(own);
  const SplitChoices choices = split_choices(blank, {Axis::n});
  Run run = scored(entirely_on(blank, choices, {.mesh = samples_over(ranks)}), prices);
  if (run.fits || request.recompute != Recompute::where_needed) return run;
  Run again = scored(recomputed(run.plan), prices);
  return again.fits ? again : run;
}

// Returns data parallelism on the most ranks, and the fastest run on fewer ranks if that is faster.
// Fewer ranks need more memory and compute for longer. So the first number of ranks that is slower
// or does not fit ends the attempts.
std::vector<Run> data_parallel_runs(const SolveRequest& request, const PriceList& prices) {
  std::vector<Run> runs;
  for (const int ranks : rank_counts(request)) {
    Run run = data_parallel(request, ranks, prices);
    if (!runs.empty() && (!run.fits || run.step_s >= runs.back().step_s)) break;
    const bool goes_on = run.fits;
    if (runs.size() > 1) runs.pop_back();
    runs.push_back(std::move(run));
    if (!goes_on) break;
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

}  // namespace

Plan with_rivals(Solution solution, const SolveRequest& request) {
  const KernelCosts kernels(request.profile, request.platform);
  const PriceList prices(request.platform, kernels);
  Plan plan = std::move(solution.plan);
  Rivals rivals(prices);
  rivals.add_draws(plan);
  std::vector<Rival>& found = plan.prediction.rivals;
  bool is_known = !solution.next;
  for (const Run& run : data_parallel_runs(request, prices)) {
    const Mesh mesh = samples_over(run.plan.ranks);
    found.push_back(rivals.rival(RivalKind::data_parallel, to_text(mesh), run.plan));
    is_known = is_known || run.plan.layers == solution.next->layers;
  }
  if (!is_known) {
    found.push_back(rivals.rival(RivalKind::next, plan.prediction.runner_up, *solution.next));
  }
  return plan;
}

}  // namespace cnnplan
