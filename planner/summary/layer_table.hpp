// Writes the layers of a plan as a table that fits a terminal.
#pragma once

#include <string>

#include "planner/base/terminal.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// A layer that takes this share of the step has a row of its own.
inline constexpr double own_row_share = 0.02;

// Returns a legend, a table of at most `width` columns, and a note if kernel times are estimates.
// Names of layers are cut where they
// are too long. Layers that follow each other share a row if splits, stages and recomputation are
// equal, except layers with at least own_row_share of the step. Groups of operations that belong to
// no layer have rows at the end. Columns without values are left out.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
std::string layer_table(const Plan& plan, std::size_t width = usual_columns);

// Returns the legend, and a table with the row of one layer.
// @pre as layer_table
// @throws InputError when the network has no layer of this name
std::string layer_row(const Plan& plan,
                      const std::string& layer,
                      std::size_t width = usual_columns);

}  // namespace cnnplan
