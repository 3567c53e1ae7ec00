// Compares a plan with the plans for a machine with other figures, in words.
#pragma once

#include <string>

#include "planner/base/terminal.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds three predictions of one network, batch and number of ranks.
struct WhatIfPlans {
  const Plan& before;  // the best on the machine as it is
  const Plan& kept;    // the same plan on the changed machine
  const Plan& after;   // the best on the changed machine
};

// Writes a table of the plans, and one of the layers whose split changes. The user typed `change`.
std::string to_text(const WhatIfPlans& plans,
                    const std::string& change,
                    std::size_t columns = usual_columns);

}  // namespace cnnplan
