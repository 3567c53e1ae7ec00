// What the choices of a plan hang on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/what_if/what_if.hpp"

namespace cnnplan {

// The best plan with some layers on another split than they have, beside the plan itself.
struct RunnerUpPlan {
  // Those that choose, each on its own runner-up: the same plan may come second for several.
  std::vector<std::string> layers;
  std::string split;        // that the plan has for the first of them
  std::string runner_up;    // that this one has
  std::size_t changes = 1;  // layers that choose and are split otherwise, the first included
  double margin_s = 0.0;    // how much longer all operations take in sum
  bool operator==(const RunnerUpPlan&) const = default;
};

// Where both take as long in sum.
struct Flip {
  std::size_t runner_up = 0;  // of Sensitivity::runner_ups
  // As it is. Of times of kernels: what they take of the sum of the plan.
  PriceFigure figure;
  double factor = 1.0;  // of all its values
  bool operator==(const Flip&) const = default;
};

struct Sensitivity {
  double sum_s = 0.0;                    // of the operations of the plan that its margins are of
  double most_factor = 1.0;              // factors from its reciprocal to it were looked at
  std::vector<std::string> figures;      // that any of these plans depends on
  std::vector<RunnerUpPlan> runner_ups;  // those that were compared, the smallest margin first
  std::vector<Flip> flips;               // the factor nearest to 1 first
  // Layers that choose and were not compared, because all takes less in sum with their runner-up:
  // the plan was taken for another reason, its step in virtual time or its memory.
  std::vector<std::string> shorter;
  bool operator==(const Sensitivity&) const = default;
};

}  // namespace cnnplan
