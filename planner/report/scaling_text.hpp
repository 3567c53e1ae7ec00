// Prints how the step time changes with the number of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds the predicted step on a number of ranks. Where no plan fits into the memory, there is none.
struct ScalingPoint {
  int ranks = 1;
  std::optional<double> step_s;
  double images_per_s = 0.0;  // samples of the mini-batch, over the step
  std::string plan;           // plan_words(), or why there is no plan
};

// Returns the point of a plan with a prediction.
ScalingPoint scaling_point(const Plan& plan);

// Returns the parallel efficiency of a point relative to the first of `points` that has a step:
// step times ranks of the first, over step times ranks of this point. @pre the point has a step
double efficiency(const ScalingPoint& point, const std::vector<ScalingPoint>& points);

// Returns the meshes of a plan with the number of layers of each, most layers first: "n4 (20), n2h2
// (5), 2 more". At least one mesh is named, and further ones as far as 36 characters allow. The
// last number counts the meshes that are not named.
std::string plan_words(const Plan& plan);

// Returns a table with a row for each point, of at most 80 columns.
std::string to_text(const std::vector<ScalingPoint>& points);

}  // namespace cnnplan
