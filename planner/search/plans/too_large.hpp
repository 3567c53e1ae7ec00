// Says why a plan does not fit into memory.
#pragma once

#include <string>

#include "planner/predict/price.hpp"

namespace cnnplan {

// Names the layers that keep most for backpropagation on rank 0, and the largest batch with which
// the split fits: "keeping most: bn1 98 MiB, conv1 49 MiB; a batch of 16 fits". Names no batch
// where none fits.
std::string why_too_large(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
