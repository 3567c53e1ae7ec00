// Says whether a search chose a plan among others.
#pragma once

#include "planner/plan/plan.hpp"

namespace cnnplan {

// False for plans whose split was given, as by solve --uniform or --reproducible. No other plan was
// compared with them.
inline bool was_searched(const Prediction& prediction) {
  return prediction.candidates > 0;
}

}  // namespace cnnplan
