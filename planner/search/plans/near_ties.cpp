// Marginals tell the changes, virtual time which of them to keep.
#include "planner/search/plans/near_ties.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "planner/search/graph/rounding.hpp"
#include "planner/search/plans/refine.hpp"

namespace cnnplan {
namespace {

// Beside its candidate in the optimum.
constexpr std::size_t others_of_unit = 2;
// In networks of up to so many units, and in deeper ones as many fewer as there are more units: a
// change is then a smaller part of the step, and takes longer to score.
constexpr std::size_t most_scored = 16;
constexpr std::size_t least_scored = 2;
constexpr std::size_t units_of_most = 128;
// Where more classes of ranks than that are walked, which takes long, after so many in a row that
// did not help others that cost more are left alone.
constexpr int classes_of_few = 16;
constexpr int most_lost_of_many = 6;
// Of the sum over that of the optimum: what costs more than by the last is no tie. Most often the
// ties that are scored are among the first, and the fewer are told apart, the less time that takes.
constexpr std::array excesses{1e-4, 1e-3, 1e-2, 1e-1};
constexpr const char* name = "near tie";

// The `most` cheapest beside the best, and that, of those that are told apart.
std::vector<int> cheapest(const std::vector<double>& costs, std::size_t most) {
  std::vector<int> candidates;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (std::isfinite(costs[i])) candidates.push_back(static_cast<int>(i));
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](int a, int b) {
    return costs[index(a)] < costs[index(b)];
  });
  candidates.resize(std::min(most + 1, candidates.size()));
  return candidates;
}

std::size_t scored_of(std::size_t units) {
  return std::clamp(most_scored * units_of_most / units, least_scored, most_scored);
}

struct NearTie {
  double cost = 0.0;  // of the best assignment with it
  Choice choice;
};

// By cost.
std::vector<NearTie> near_ties(const MinMarginals& marginals) {
  std::vector<NearTie> ties;
  for (std::size_t unit = 0; unit < marginals.costs().size(); ++unit) {
    const std::vector<double>& costs = marginals.costs()[unit];
    for (int candidate : cheapest(costs, others_of_unit)) {
      if (candidate == marginals.optimum()[unit]) continue;
      ties.push_back({.cost = costs[index(candidate)],
                      .choice = {.unit = static_cast<int>(unit), .candidate = candidate}});
    }
  }
  std::stable_sort(
      ties.begin(), ties.end(), [](const NearTie& a, const NearTie& b) { return a.cost < b.cost; });
  return ties;
}

Assignment changed(Assignment assignment, const Change& change) {
  for (const auto& [unit, candidate] : change) {
    assignment[index(unit)] = candidate;
  }
  return assignment;
}

// Scores changes on top of each other.
class Attempts {
 public:
  Attempts(const Plan& blank, const SplitChoices& choices, Assignment optimum, Scores& scores)
      : blank_(blank),
        choices_(choices),
        scores_(scores),
        best_(std::move(optimum)),
        left_(scored_of(best_.size())) {
    const Score score = scores.add(name, plan_of(blank, choices, best_));
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
        scores_.add_below(least_s_, name, plan_of(blank_, choices_, next));
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
  bool is_slow_ = false;  // to score
  std::size_t left_;
  double lost_ = 0.0;  // cost of the last that did not help
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
