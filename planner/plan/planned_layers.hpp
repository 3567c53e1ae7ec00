// Refuses networks with layers that are planned and that no program can run.
#pragma once

#include <optional>
#include <string>

#include "planner/network/network.hpp"

namespace cnnplan {

// Returns the first layer that is only planned, if there is one.
std::optional<LayerIndex> planned_only_layer(const Network& network);

// Checks that no layer is only planned, which means that no backend has kernels for it. `pointer`
// is the place of the network in the file: "" in a network file, and "/network" in a plan.
// @throws InputError with the name of the first layer that has none
void require_kernels(const Network& network, const std::string& file, const std::string& pointer);

}  // namespace cnnplan
