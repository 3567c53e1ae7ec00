// Writes comparisons for programs that show results of continuous integration.
#pragma once

#include <string>
#include <vector>

#include "planner/report/compare.hpp"
#include "planner/report/error_limits.hpp"

namespace cnnplan {

// Returns Markdown for a job summary or a comment: first whether the figures hold their limits,
// then one table. The table has the gated figures, the memory of a rank where it is known, and the
// layers that are furthest off. Names are escaped.
// @pre `figures` are what gated_figures() returns for the comparison
std::string markdown_text(const Comparison& comparison, const std::vector<GatedFigure>& figures);

// Returns a JUnit document with one test case for each figure. A case fails with the message of its
// figure. Properties say what the comparison is about and how the run was made.
// @pre as markdown_text()
std::string junit_text(const Comparison& comparison, const std::vector<GatedFigure>& figures);

}  // namespace cnnplan
