// What becomes of a plan on a machine with other figures.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Three predictions of one network, batch and number of ranks.
struct WhatIfPlans {
  const Plan& before;  // the best on the machine as it is
  const Plan& kept;    // the same plan on the changed machine
  const Plan& after;   // the best on the changed machine
};

// A table of the three and, layer by layer, what is split otherwise. `change`: as the user typed
// it.
std::string to_text(const WhatIfPlans& plans, const std::string& change);

}  // namespace cnnplan
