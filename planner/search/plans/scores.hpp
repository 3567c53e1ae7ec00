// Scores plans in virtual time, and takes the fastest that fits.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "planner/predict/predict.hpp"
#include "planner/search/plans/plan_origin.hpp"

namespace cnnplan {

// Holds what decides between plans.
struct Score {
  double step_s = 0.0;     // predicted
  std::int64_t bytes = 0;  // of the rank that needs most, or more (planner/predict/predict.hpp)
  bool fits = false;       // the plan fits into the platform's memory
  int classes = 0;         // the number of classes of ranks that were walked
};

// Holds a plan that is not scored yet.
struct ProposedPlan {
  PlanOrigin origin;
  Plan plan;
};

// Holds a plan with its score.
struct ScoredPlan {
  PlanOrigin origin;
  Plan plan;
  Score score;
};

// Collects the plans that a search proposes, each once.
class Scores {
 public:
  // Keeps a reference to the prices.
  explicit Scores(const PriceList& prices) : prices_(prices) {}

  // Scores a plan, whose gather methods are chosen anew (with_gathers). If a plan with equal layers
  // and chains was added before, returns its score and adds nothing. The first plan is the
  // baseline.
  Score add(const PlanOrigin& origin, Plan plan);
  // Adds a plan if its step is below `limit_s`, else returns nothing. Other plans are not scored
  // fully, which saves time.
  std::optional<Score> add_below(double limit_s, const PlanOrigin& origin, Plan plan);
  // Returns the memory of a rank, or 0 if the platform does not say.
  std::int64_t available_bytes() const { return prices_.platform().memory_bytes; }
  bool any_fits() const { return best_.has_value(); }
  // Sets the name and the step of the baseline in `prediction`. @pre a plan was added
  void add_baseline(Prediction& prediction) const;
  // Returns the step of the fastest plan so far that fits; infinite if none does.
  double least_step_s() const;
  // Returns the first of the fastest plans that fit into the platform's memory, with its
  // prediction. The prediction includes the steps of the baseline and of the fastest other plan
  // that fits.
  // @throws InfeasibleError when none fits @pre a plan was added
  Plan fastest() const;
  // Returns the fastest plan that fits, apart from fastest(), without a prediction.
  // @pre any_fits()
  std::optional<Plan> next() const;
  // Returns at most `most` plans that fit, the fastest first.
  std::vector<ScoredPlan> fastest_that_fit(std::size_t most) const;
  // Returns the fastest wanted plan that fits, without a prediction.
  std::optional<ScoredPlan> fastest_of(const std::function<bool(const Plan&)>& is_wanted) const;

 private:
  // Returns the scored plan with equal layers and chains, or null.
  const ScoredPlan* find(const Plan& plan) const;
  Score take(const PlanOrigin& origin, Plan plan, const WalkedWork& walked);
  const ScoredPlan* runner_up() const;
  [[noreturn]] void refuse() const;

  const PriceList& prices_;
  std::vector<ScoredPlan> scored_;
  std::optional<std::size_t> best_;
  std::vector<int> slow_ranks_;  // that the best plan waits for, the slowest first
};

}  // namespace cnnplan
