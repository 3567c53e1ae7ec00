// What a schema cannot say of a checkpoint: that its numbers belong together.
#pragma once

#include <string>

#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// @throws InputError (pointer into the file) unless there is a loss of every step, slices lie in
// their tensors and parts, and those of a tensor that is no running value are disjoint and make it
void validate(const Checkpoint& checkpoint, const std::string& file);

}  // namespace cnnplan
