// Whether the chains that a plan runs by multigrid are chains, and are split as they may be.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// @throws InputError (pointer into plan.json)
// @pre every layer has a mesh that it may have, and a stage of it
void check_multigrid(const Plan& plan, const std::string& file);

}  // namespace cnnplan
