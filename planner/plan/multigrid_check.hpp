// Checks that the layers which a plan runs by multigrid are residual chains, and that their meshes,
// stages and options are allowed.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks the chains of a plan. `file` is the plan's, for errors.
// @throws InputError (pointer into the file) for a chain that is not allowed
// @pre every layer has a valid mesh, and a stage of this mesh
void check_multigrid(const Plan& plan, const std::string& file);

}  // namespace cnnplan
