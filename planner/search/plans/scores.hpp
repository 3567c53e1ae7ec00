// Plans scored in virtual time, and which of them is taken.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/predict/predict.hpp"

namespace cnnplan {

// Whether `bytes` fit into the memory of one rank, or that memory is not known.
bool fits(std::int64_t bytes, const Platform& platform);

struct Score {
  double step_s = 0.0;
  std::int64_t bytes = 0;  // as work_of has them: no less than the rank needs that needs most
  bool fits = false;       // into the platform's memory
  int classes = 0;         // of ranks that were walked
};

struct NamedPlan {
  std::string name;
  Plan plan;
};

struct ScoredPlan {
  std::string name;
  Plan plan;
  Score score;
};

class Scores {
 public:
  // Keeps a reference.
  explicit Scores(const PriceList& prices) : prices_(prices) {}

  // Scores a plan, unless one that splits its layers alike was added before: that one's name stays.
  // The first plan is the baseline.
  Score add(const std::string& name, Plan plan);
  // The same for a plan whose step is below `limit_s`; others are not added, which takes less time.
  std::optional<Score> add_below(double limit_s, const std::string& name, Plan plan);
  std::int64_t available_bytes() const { return prices_.platform().memory_bytes; }
  bool any_fits() const { return best_.has_value(); }
  // Names the first plan and its step. @pre a plan was added
  void add_baseline(Prediction& prediction) const;
  // Of the fastest plan so far that fits; infinite where none does.
  double least_step_s() const;
  // The fastest plan that fits into the platform's memory, the first of equals, with its
  // prediction: the step of the baseline and the fastest other plan that fits beside its own.
  // @throws InfeasibleError when none fits @pre a plan was added
  Plan fastest() const;
  // Those that fit, the fastest first, and so many at most.
  std::vector<ScoredPlan> fastest_that_fit(std::size_t most) const;
  // The fastest that fits of those that are looked for, without a prediction.
  std::optional<ScoredPlan> fastest_of(const std::function<bool(const Plan&)>& is_wanted) const;

 private:
  const ScoredPlan* runner_up() const;
  [[noreturn]] void refuse() const;

  const PriceList& prices_;
  std::vector<ScoredPlan> scored_;
  std::optional<std::size_t> best_;
};

}  // namespace cnnplan
