// The optimum of a cost graph by GLPK's branch and bound, which shares nothing with our search.
#pragma once

#include <filesystem>
#include <optional>

#include "planner/search/graph/pareto_elimination.hpp"

namespace cnnplan {

// Whether the program glpsol is there.
bool has_glpsol();

// The fastest assignment within the limit; absent where none is. One variable of 0 or 1 for every
// candidate and one for every pair of them: GLPK prunes what is within 1e-7 of its best, so that
// costs should be multiples of more than that share of the sum. Leaves `file` and `file`.solution.
// @throws runtime_error when glpsol fails or does not decide
std::optional<Assignment> glpk_optimum(const LimitedGraph& graph,
                                       const std::filesystem::path& file);

}  // namespace cnnplan
