// Walks each plan once. The best plan is lowered once more for its prediction.
#include "planner/search/plans/scores.hpp"

#include <algorithm>
#include <limits>

#include "planner/base/error.hpp"
#include "planner/predict/critical_path.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/plans/too_large.hpp"
#include "planner/search/pricing/gather_choice.hpp"

namespace cnnplan {
namespace {

// Returns the ranks that the step waits for.
std::vector<int> slow_ranks_of(const WalkedWork& walked, double overlap) {
  const PlanWork& work = walked.work;
  return ranks_on_path(
      critical_path(work.ranks, work.classes, walked.timelines, {.overlap = overlap}),
      work.classes);
}

}  // namespace

const ScoredPlan* Scores::find(const Plan& plan) const {
  const auto known = std::find_if(scored_.begin(), scored_.end(), [&](const ScoredPlan& scored) {
    return scored.plan.layers == plan.layers && scored.plan.multigrid == plan.multigrid;
  });
  return known == scored_.end() ? nullptr : &*known;
}

Score Scores::add(const PlanOrigin& origin, Plan plan) {
  plan = with_gathers(std::move(plan), prices_.platform());
  if (const ScoredPlan* known = find(plan)) return known->score;
  const WalkedWork walked = walked_work_of(plan, prices_);
  return take(origin, std::move(plan), walked);
}

std::optional<Score> Scores::add_below(double limit_s, const PlanOrigin& origin, Plan plan) {
  plan = with_gathers(std::move(plan), prices_.platform());
  if (const ScoredPlan* known = find(plan)) {
    return known->score.step_s < limit_s ? std::optional(known->score) : std::nullopt;
  }
  const std::optional<WalkedWork> walked =
      work_below(plan, {.seconds = limit_s, .slow_ranks = slow_ranks_}, prices_);
  if (!walked) return std::nullopt;
  return take(origin, std::move(plan), *walked);
}

Score Scores::take(const PlanOrigin& origin, Plan plan, const WalkedWork& walked) {
  const Platform& platform = prices_.platform();
  const double step_s = step_time_s(walked.timelines);
  const std::int64_t bytes = walked.work.memory.total_bytes();
  const Score score{.step_s = step_s,
                    .bytes = bytes,
                    .fits = fits(bytes, platform.memory_bytes),
                    .classes = walked.work.classes.count()};
  const bool is_best = score.fits && step_s < least_step_s();
  if (is_best) slow_ranks_ = slow_ranks_of(walked, overlap_of(plan, platform));
  scored_.push_back({.origin = origin, .plan = std::move(plan), .score = score});
  if (is_best) best_ = scored_.size() - 1;
  return score;
}

double Scores::least_step_s() const {
  return best_ ? scored_[*best_].score.step_s : std::numeric_limits<double>::infinity();
}

const ScoredPlan* Scores::runner_up() const {
  const ScoredPlan* found = nullptr;
  for (const ScoredPlan& scored : scored_) {
    if (&scored == &scored_[*best_] || !scored.score.fits) continue;
    if (found == nullptr || scored.score.step_s < found->score.step_s) found = &scored;
  }
  return found;
}

void Scores::refuse() const {
  const ScoredPlan& least = *std::min_element(
      scored_.begin(), scored_.end(), [](const ScoredPlan& a, const ScoredPlan& b) {
        return a.score.bytes < b.score.bytes;
      });
  throw InfeasibleError("none of the " + std::to_string(scored_.size()) +
                            " plans tried fits (of the smallest, " +
                            why_too_large(least.plan, prices_) + "): memory per rank",
                        least.score.bytes,
                        prices_.platform().memory_bytes);
}

void Scores::add_baseline(Prediction& prediction) const {
  prediction.baseline = to_text(scored_.front().origin);
  prediction.baseline_s = scored_.front().score.step_s;
}

Plan Scores::fastest() const {
  if (!best_) refuse();
  Plan plan = scored_[*best_].plan;
  add_baseline(plan.prediction);
  if (const ScoredPlan* second = runner_up()) {
    plan.prediction.runner_up = to_text(second->origin);
    plan.prediction.runner_up_s = second->score.step_s;
  }
  return with_prediction(std::move(plan), prices_);
}

std::optional<Plan> Scores::next() const {
  const ScoredPlan* second = runner_up();
  return second == nullptr ? std::nullopt : std::optional(second->plan);
}

std::vector<ScoredPlan> Scores::fastest_that_fit(std::size_t most) const {
  std::vector<const ScoredPlan*> fitting;
  for (const ScoredPlan& scored : scored_) {
    if (scored.score.fits) fitting.push_back(&scored);
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const ScoredPlan* a, const ScoredPlan* b) {
    return a->score.step_s < b->score.step_s;
  });
  fitting.resize(std::min(most, fitting.size()));
  std::vector<ScoredPlan> found;
  for (const ScoredPlan* scored : fitting) found.push_back(*scored);
  return found;
}

std::optional<ScoredPlan> Scores::fastest_of(
    const std::function<bool(const Plan&)>& is_wanted) const {
  const ScoredPlan* found = nullptr;
  for (const ScoredPlan& scored : scored_) {
    if (!scored.score.fits || !is_wanted(scored.plan)) continue;
    if (found == nullptr || scored.score.step_s < found->score.step_s) found = &scored;
  }
  if (found == nullptr) return std::nullopt;
  return *found;
}

}  // namespace cnnplan
