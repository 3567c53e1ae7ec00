// Follows changes up from a unit to the last eliminated one, then down to all units that lean on a
// changed unit, as long as the changes are new.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "planner/search/graph/min_marginals.hpp"

namespace cnnplan {

// Collects how assignments differ from the optimum. The candidates of a unit and of its neighbours
// decide which changes follow further up. They also decide which changes follow further down,
// because units that lean on the unit lean on nothing else. Both are followed once.
class MinMarginals::Reached {
 public:
  explicit Reached(const MinMarginals& marginals) : all_(marginals) {}

  void add(const Choice& choice) {
    fixed_.clear();
    climbed_now_.clear();
    climb(choice);
    descend();
  }

  // Returns the change of the choice that was added last, if it was the only one.
  Change change() const {
    Change change;
    for (const auto& [unit, candidate] : fixed_) {
      if (!is_optimal(unit)) change.push_back({unit, candidate});
    }
    return change;
  }
  std::vector<ChoicePair> pairs() && { return std::move(pairs_); }

 private:
  // Holds the unit, its candidate, and the candidates of its neighbours.
  using State = std::array<int, 2 + most_neighbours>;

  // Goes towards the end of the elimination, until the remaining units are as in the optimum.
  void climb(const Choice& choice) {
    fix(choice.unit, choice.candidate);
    int unit = choice.unit;
    for (;;) {
      const std::vector<int>& neighbours = all_.step_of(unit).neighbours;
      const Neighbours& best = all_.with_[unit][candidate(unit)];
      for (std::size_t i = 0; i < neighbours.size(); ++i) fix(neighbours[i], best[i]);
      if (!climb_over(unit) || neighbours.empty()) return;
      const std::optional<int> next =
          neighbours.size() == 1 ? neighbours[0] : end_of_pairs(neighbours[0], neighbours[1]);
      if (!next || is_optimal(*next)) return;
      unit = *next;
    }
  }

  // Goes from pair to pair, where each pair is the neighbours of a unit that has its candidate.
  // Returns the unit that the last pair leaves alone. Returns nothing where a pair is as in the
  // optimum, or the rest was followed before.
  std::optional<int> end_of_pairs(int a, int b) {
    while (!(is_optimal(a) && is_optimal(b))) {
      if (all_.place_[a] > all_.place_[b]) std::swap(a, b);
      const std::vector<int>& neighbours = all_.step_of(a).neighbours;
      if (neighbours.size() == 1) return climb_over(a) ? std::optional(b) : std::nullopt;
      const int other = neighbours[0] == b ? neighbours[1] : neighbours[0];
      const PairCosts& pair = all_.pairs_[a].at(b);
      fix(other, pair.others[pair.costs.index(candidate(b), candidate(a))]);
      if (!climb_over(a)) return std::nullopt;
      a = other;
    }
    return std::nullopt;
  }

  // Goes to units that were eliminated before and lean on a change, perhaps on another change than
  // the one that led there.
  void descend() {
    std::set<std::pair<int, int>> open;  // by place, the last first
    const auto open_leaning_on = [&](int unit) {
      for (int other : all_.leaned_[unit]) open.emplace(-all_.place_[other], other);
    };
    for (int unit : climbed_now_) open_leaning_on(unit);
    while (!open.empty()) {
      const int unit = open.extract(open.begin()).value().second;
      if (fixed_.contains(unit) || !leans_on_change(unit)) continue;
      const EliminationStep& step = all_.step_of(unit);
      Neighbours candidates{};
      for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
        candidates[i] = candidate(step.neighbours[i]);
      }
      fix(unit, step.best_with(candidates));
      if (reach(unit, descended_)) open_leaning_on(unit);
    }
  }

  bool leans_on_change(int unit) const {
    const std::vector<int>& neighbours = all_.step_of(unit).neighbours;
    return std::any_of(neighbours.begin(), neighbours.end(), [&](int neighbour) {
      return !is_optimal(neighbour);
    });
  }

  // Returns false where the changes further up were followed before. The changes further down may
  // still be new.
  bool climb_over(int unit) {
    climbed_now_.push_back(unit);
    return reach(unit, climbed_);
  }

  // Returns false where the state is known. @pre the neighbours have their candidates
  bool reach(int unit, std::set<State>& known) {
    const std::vector<int>& neighbours = all_.step_of(unit).neighbours;
    State state{unit, candidate(unit)};
    for (std::size_t i = 0; i < neighbours.size(); ++i) state[2 + i] = candidate(neighbours[i]);
    if (!known.insert(state).second) return false;
    for (int neighbour : neighbours) {
      pairs_.push_back({{unit, candidate(unit)}, {neighbour, candidate(neighbour)}});
    }
    return true;
  }

  int candidate(int unit) const {
    const auto found = fixed_.find(unit);
    return found == fixed_.end() ? all_.optimum_[unit] : found->second;
  }
  bool is_optimal(int unit) const { return candidate(unit) == all_.optimum_[unit]; }
  void fix(int unit, int candidate) { fixed_.emplace(unit, candidate); }

  const MinMarginals& all_;
  std::map<int, int> fixed_;      // candidate by unit, of the choice that is added
  std::vector<int> climbed_now_;  // units that were climbed for this choice
  std::set<State> climbed_;
  std::set<State> descended_;
  std::vector<ChoicePair> pairs_;
};

Change MinMarginals::changes_with(const Choice& choice) const {
  Reached reached(*this);
  reached.add(choice);
  return reached.change();
}

std::vector<ChoicePair> MinMarginals::pairs_with(std::span<const Choice> choices) const {
  Reached reached(*this);
  for (const Choice& choice : choices) reached.add(choice);
  return std::move(reached).pairs();
}

}  // namespace cnnplan
