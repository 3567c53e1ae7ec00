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
  double images_per_s = 0.0;
  std::string plan;  // in words, or why there is none
};

ScalingPoint scaling_point(const Plan& plan);

// Returns the time of the first point that has one, times its ranks, over the time of this point,
// times its ranks. @pre the point has a step
double efficiency(const ScalingPoint& point, const std::vector<ScalingPoint>& points);

// Returns the meshes of a plan with the number of layers of each, most layers first, in at most 36
// characters. Another text of the plan in words only has to replace this function.
std::string plan_words(const Plan& plan);

// Returns a table with a row for each point, of at most 80 columns.
std::string to_text(const std::vector<ScalingPoint>& points);

}  // namespace cnnplan
