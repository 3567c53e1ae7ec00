// What every candidate of every unit costs at best, and with which others.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "planner/search/graph/cost_graph.hpp"
#include "planner/search/graph/elimination.hpp"

namespace cnnplan {

// The steps of the elimination once more, backwards, at the same expense.
class MinMarginals {
 public:
  // Nothing where units remain. @pre check(graph) passes
  static std::optional<MinMarginals> of(const CostGraph& graph);

  // What costs more than `limit` is not told apart: infinity. @pre the steps have an optimum
  explicit MinMarginals(EliminationSteps steps,
                        double limit = std::numeric_limits<double>::infinity());

  // Costs least of all.
  const Assignment& optimum() const { return optimum_; }
  // By unit and candidate, the cost of the cheapest assignment that takes it.
  const UnitCosts& costs() const { return costs_; }
  // What that assignment changes of the optimum: in time that grows with the number of changes.
  // @pre it does not cost more than the limit
  Change changes_with(const Choice& choice) const;
  // Pairs that the cheapest assignments with each of these choices take, and the optimum does not:
  // all of those between units with an edge, and some others. Where the changes of two assignments
  // go on alike, they are followed once: time and memory grow with the number of pairs.
  // @pre as above
  std::vector<ChoicePair> pairs_with(std::span<const Choice> choices) const;

 private:
  // Candidates of the neighbours of a step, in their order.
  using Neighbours = std::array<int, most_neighbours>;
  // Of a unit and one of its neighbours.
  struct PairCosts {
    CostMatrix costs;         // columns are the unit's candidates
    std::vector<int> others;  // by row and column, the candidate of the other neighbour then
  };
  using Pairs = std::array<PairCosts*, most_neighbours>;  // of a step; null where nobody asks
  // A unit with these candidates of its neighbours.
  struct Given {
    Neighbours neighbours;
    double least = 0.0;             // of all units, with them
    std::span<const double> costs;  // of the unit's candidates, and with them
  };
  class Reached;

  void take_back(const EliminationStep& step);
  // Room for what steps before this one ask for.
  Pairs pairs_of(const EliminationStep& step);
  void lower_by(const EliminationStep& step, const Given& given, const Pairs& pairs);
  double least_with(const std::vector<int>& units, const Neighbours& candidates) const;
  const EliminationStep& step_of(int unit) const;

  std::vector<EliminationStep> steps_;
  std::vector<int> place_;                // of the step of every unit
  std::vector<std::vector<int>> leaned_;  // by unit, those eliminated before with it as a neighbour
  Assignment optimum_;
  double least_ = 0.0;
  double limit_ = 0.0;
  UnitCosts costs_;
  std::vector<std::vector<Neighbours>> with_;  // by unit and candidate
  // By unit and neighbour of its step, for those that are together the neighbours of another.
  std::vector<std::map<int, PairCosts>> pairs_;
  std::set<std::pair<int, int>> asked_pairs_;  // the lower number first
};

// Their costs() alone. @pre check(graph) passes
std::optional<UnitCosts> min_marginals(const CostGraph& graph);

}  // namespace cnnplan
