// Says why a plan does not fit into memory.
#pragma once

#include <string>

#include "planner/predict/price.hpp"

namespace cnnplan {

// Returns the end of a message about a plan that does not fit. It names the three layers that keep
// most for backpropagation on rank 0, and the largest batch with which the splits fit: "keeping
// most: bn1 98.00 MiB, conv1 49.00 MiB, bn2 49.00 MiB; a batch of 16 fits". It names no batch if
// none fits. Before the batch, it says if the plan fits with --sharded-update.
std::string why_too_large(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
