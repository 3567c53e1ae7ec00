// Tries near ties: marginals list the changes, and virtual time decides which of them to keep.
#include "planner/search/plans/near_ties.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "planner/search/graph/rounding.hpp"
#include "planner/search/plans/lazy_optimum.hpp"

namespace cnnplan {
namespace {

// Limits the other candidates of a unit that are tried in place of its candidate in the optimum.
constexpr std::size_t others_of_unit = 2;
// Networks of up to units_of_most units have most_scored changes scored. In deeper networks, a
// change is a smaller part of the step and takes longer to score, so that fewer changes are scored.
constexpr std::size_t most_scored = 16;
constexpr std::size_t least_scored = 2;
constexpr std::size_t units_of_most = 128;
// Walking more than classes_of_few classes of ranks takes long. The attempts then end after
// most_lost_of_many changes in a row that did not help.
constexpr int classes_of_few = 16;
constexpr int most_lost_of_many = 6;
// Relative excess over the optimum's sum that still counts as a tie, tried in this order. Most of
// the scored ties are found with the first limits, and small limits take less time.
constexpr std::array excesses{1e-4, 1e-3, 1e-2, 1e-1};
const PlanOrigin origin{.proposal = SearchOrigin::near_tie};

// Returns the best candidate and the next `most` of the candidates with known costs.
std::vector<int> cheapest(const std::vector<double>& costs, std::size_t most) {
  std::vector<int> candidates;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (std::isfinite(costs[i])) candidates.push_back(static_cast<int>(i));
  }
  std::stable_sort(
      candidates.begin(), candidates.end(), [&](int a, int b) { return costs[a] < costs[b]; });
  candidates.resize(std::min(most + 1, candidates.size()));
  return candidates;
}

std::size_t scored_of(std::size_t units) {
  return std::clamp(most_scored * units_of_most / units, least_scored, most_scored);
}

struct NearTie {
  double cost = 0.0;  // the cost of the best assignment with this choice
  Choice choice;
};

// Returns the near ties in the order of their costs.
std::vector<NearTie> near_ties(const MinMarginals& marginals) {
  std::vector<NearTie> ties;
  for (std::size_t unit = 0; unit < marginals.costs().size(); ++unit) {
    const std::vector<double>& costs = marginals.costs()[unit];
    for (int candidate : cheapest(costs, others_of_unit)) {
      if (candidate == marginals.optimum()[unit]) continue;
      ties.push_back({.cost = costs[candidate],
                      .choice = {.unit = static_cast<int>(unit), .candidate = candidate}});
    }
  }
  std::stable_sort(
      ties.begin(), ties.end(), [](const NearTie& a, const NearTie& b) { return a.cost < b.cost; });
  return ties;
}

Assignment changed(Assignment assignment, const Change& change) {
  for (const auto& [unit, candidate] : change) {
    assignment[unit] = candidate;
  }
  return assignment;
}

// Scores changes one after another. Each starts from the best assignment so far.
class Attempts {
 public:
  Attempts(const Plan& blank, const SplitChoices& choices, Assignment optimum, Scores& scores)
      : blank_(blank),
        choices_(choices),
        scores_(scores),
        best_(std::move(optimum)),
        left_(scored_of(best_.size())) {
    const Score score = scores.add(origin, plan_of(blank, choices, best_));
    least_s_ = score.step_s;
    is_slow_ = score.classes > classes_of_few;
  }

  bool are_over() const { return left_ == 0 || (is_slow_ && lost_in_a_row_ == most_lost_of_many); }

  void add(const MinMarginals& marginals) {
    for (const NearTie& tie : near_ties(marginals)) {
      if (are_over()) return;
      if (tie.cost <= lost_ * (1 + rounding_of_sums)) continue;
      Assignment next = changed(best_, marginals.changes_with(tie.choice));
      if (next != best_) score(tie, std::move(next));
    }
  }

 private:
  void score(const NearTie& tie, Assignment next) {
    --left_;
    const std::optional<Score> found =
        scores_.add_below(least_s_, origin, plan_of(blank_, choices_, next));
    if (!found || !found->fits) {
      lost_ = tie.cost;
      ++lost_in_a_row_;
      return;
    }
    lost_in_a_row_ = 0;
    best_ = std::move(next);
    least_s_ = found->step_s;
  }

  const Plan& blank_;
  const SplitChoices& choices_;
  Scores& scores_;
  Assignment best_;
  double least_s_ = 0.0;
  bool is_slow_ = false;  // scoring takes long
  std::size_t left_;
  double lost_ = 0.0;  // the cost of the last change that did not help
  int lost_in_a_row_ = 0;
};

}  // namespace

void add_near_ties(const Plan& blank,
                   NetworkPricing& pricing,
                   const CostGraph& graph,
                   Scores& scores) {
  const Wanted wanted = [](int, const std::vector<double>& costs) {
    return cheapest(costs, others_of_unit);
  };
  std::optional<Attempts> attempts;
  for (const double excess : excesses) {
    const auto marginals = marginals_of_wanted(pricing, graph, wanted, excess);
    if (!marginals) return;
    if (!attempts) {
      attempts.emplace(blank, pricing.priced().choices, marginals->optimum(), scores);
    }
    attempts->add(*marginals);
    if (attempts->are_over()) return;
  }
}

}  // namespace cnnplan
