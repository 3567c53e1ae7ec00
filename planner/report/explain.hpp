// Why this plan: what every layer is expected to cost, and how the plan compares.
#pragma once

#include <optional>
#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// A header (step with its range, baseline, bound, gap, runner-up, memory), one row per layer with
// its mesh and the predicted time of each part, and one row for whatever belongs to no layer
// (gradient reduction, optimizer). With `layer`: every operation of that layer instead of the rows.
// Times of operations are means over ranks; operations may overlap, so shares may exceed 100 % in
// sum.
// @throws InputError when the network has no such layer
std::string explain(const Plan& plan, const std::optional<std::string>& layer);

// The layer that --layer names. @throws InputError when the network has none of that name
LayerIndex layer_named(const Plan& plan, const std::string& name);

}  // namespace cnnplan
