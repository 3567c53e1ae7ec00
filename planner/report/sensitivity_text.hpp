// Puts into words on which figures of the machine the choices of a plan depend.
#pragma once

#include <string>

#include "planner/base/terminal.hpp"
#include "planner/plan/plan.hpp"
#include "planner/what_if/sensitivity.hpp"

namespace cnnplan {

// Begins with the figure on which the plan depends most. A legend and a table of the flips follow,
// with at most 12 rows unless it is `wide`. The end names the runner-ups that no figure flips. If
// no runner-up was compared, the text says why. Lines have at most `columns` columns, except rows
// of a `wide` table, which have the values of figures, too.
std::string to_text(const Sensitivity& sensitivity,
                    const Plan& plan,
                    bool wide,
                    std::size_t columns = usual_columns);

}  // namespace cnnplan
