// Finds for every candidate of every unit the cheapest assignment that takes it.
#pragma once

#include <array>
#include <cstddef>
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

// Holds the least cost of an assignment with each candidate (its min-marginal). The constructor
// goes through the steps of an elimination backwards, which takes as long as the elimination.
class MinMarginals {
 public:
  // Eliminates a graph, and returns its min-marginals. Returns nothing if units with more than
  // most_neighbours neighbours remain (elimination.hpp). @pre check(graph) passes
  static std::optional<MinMarginals> of(const CostGraph& graph);

  // Computes the min-marginals from an elimination. Costs above `limit` become infinity.
  // @pre the steps have an optimum
  explicit MinMarginals(EliminationSteps steps,
                        double limit = std::numeric_limits<double>::infinity());

  // Returns the cheapest assignment.
  const Assignment& optimum() const { return optimum_; }
  // Returns by unit and candidate the cost of the cheapest assignment that takes it.
  const UnitCosts& costs() const { return costs_; }
  // Returns where the cheapest assignment with `choice` differs from the optimum, in time that
  // grows with the number of differences. @pre it does not cost more than the limit
  Change changes_with(const Choice& choice) const;
  // Returns the pairs that the cheapest assignments with each of these choices take, and the
  // optimum does not: all such pairs between units with an edge, and some others. Changes that
  // several assignments have in common are followed once, so time and memory grow with the number
  // of pairs.
  // @pre the assignments do not cost more than the limit
  std::vector<ChoicePair> pairs_with(std::span<const Choice> choices) const;

 private:
  // Holds candidates of the neighbours of a step, in their order.
  using Neighbours = std::array<int, most_neighbours>;
  // Holds the least costs with the candidates of a unit and one of its neighbours.
  struct PairCosts {
    CostMatrix costs;         // columns are the unit's candidates
    std::vector<int> others;  // by row and column, the best candidate of the other neighbour
  };
  // Holds the pairs of a step with each neighbour; null where no step asks for the pair.
  using Pairs = std::array<PairCosts*, most_neighbours>;
  // Holds the costs of a unit with these candidates of its neighbours.
  struct Given {
    Neighbours neighbours;
    double least = 0.0;             // the least cost of all units with these candidates
    std::span<const double> costs;  // of the unit's candidates, with these neighbours
  };
  // Looks up the least cost of all units with candidates of the neighbours of a step.
  struct LeastWith {
    const double* values = nullptr;                      // the cost with the first candidates
    std::array<std::size_t, most_neighbours> strides{};  // from one candidate to the next

    double operator()(const Neighbours& candidates) const {
      return values[candidates[0] * strides[0] + candidates[1] * strides[1]];
    }
  };
  class Reached;

  void take_back(const EliminationStep& step);
  // Makes room for the pairs that earlier steps ask for.
  Pairs pairs_of(const EliminationStep& step);
  void lower_by(const EliminationStep& step, const Given& given, const Pairs& pairs);
  // Keeps pointers to the costs of the neighbours, which were found before.
  LeastWith least_with_neighbours(const EliminationStep& step) const;
  const EliminationStep& step_of(int unit) const;

  std::vector<EliminationStep> steps_;
  std::vector<int> place_;                // by unit, the place of its step
  std::vector<std::vector<int>> leaned_;  // by unit, the units whose steps have it as neighbour
  Assignment optimum_;
  double least_ = 0.0;
  double limit_ = 0.0;
  UnitCosts costs_;
  std::vector<std::vector<Neighbours>> with_;  // by unit and candidate
  // Holds costs by unit and neighbour of its step, if the two are the neighbours of another step.
  std::vector<std::map<int, PairCosts>> pairs_;
  std::set<std::pair<int, int>> asked_pairs_;  // the lower number first
};

}  // namespace cnnplan
