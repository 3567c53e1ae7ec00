// Checks that the layers which a plan runs by multigrid are residual chains, and that their meshes,
// stages and options are allowed.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// @throws InputError (pointer into plan.json)
// @pre every layer has a valid mesh, and a stage of this mesh
void check_multigrid(const Plan& plan, const std::string& file);

}  // namespace cnnplan
