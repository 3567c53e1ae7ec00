// Checks relations between the values of a checkpoint, which a schema cannot express.
#pragma once

#include <string>

#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Requires a loss for every step, and slices within their tensors and parts. The slices of a tensor
// are disjoint and cover it. Slices of running values may overlap, and cover all channels.
// @throws InputError (pointer into the file)
void validate(const Checkpoint& checkpoint, const std::string& file);

}  // namespace cnnplan
