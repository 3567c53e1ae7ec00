// Writes the values of a summary, and of the table of layers, as a JSON document.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns a document of the kind "explanation": the values of the summary, every layer with its
// predicted times, and every group of operations that belong to no layer.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
std::string explanation_json(const Plan& plan);

}  // namespace cnnplan
