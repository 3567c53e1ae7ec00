// Explains a plan: what every layer is expected to cost, and how the plan compares with others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "planner/base/terminal.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns a header with the values of the prediction that the plan has, such as the step and its
// range, baseline, bound, gap, runner-up and memory. A table follows with the mesh and the
// predicted times of every layer, and with a row each for gradient reductions and updates. With
// `layer`, the table lists the operations of that layer instead.
// Times of operations are means over ranks. Operations may overlap, so that shares may exceed 100 %
// in sum. Sentences have at most `columns` columns, and the table is as wide as it is.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
// @throws InputError when the network has no such layer
std::string explain(const Plan& plan,
                    const std::optional<std::string>& layer,
                    std::size_t columns = usual_columns);

// Returns the table of the layer's operations alone, without the header, in at most `columns`
// columns.
// @pre and @throws as explain
std::string explain_operations(const Plan& plan,
                               const std::string& layer,
                               std::size_t columns = usual_columns);

// Returns the text `time` with the mark of estimates after it, or with a space in its place.
std::string marked(const std::string& time, bool estimated);
// Explains the mark after a table, in lines of at most `columns`. The text is empty where nothing
// is estimated.
std::string estimate_note(const Plan& plan, std::size_t columns = usual_columns);

// Returns the layer that --layer names. @throws InputError when the network has none of that name
LayerIndex layer_named(const Plan& plan, const std::string& name);

}  // namespace cnnplan
