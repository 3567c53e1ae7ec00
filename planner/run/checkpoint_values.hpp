// Checks the numbers of a saved state, which digests of its parts say nothing about.
#pragma once

#include <span>
#include <string>

#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Refuses values of a tensor that no training saves. `name` is its StoredTensor::name.
// @throws InputError (pointer `name`) for a number that is not finite, and for a negative variance
void require_possible_values(std::span<const double> values,
                             const std::string& name,
                             const std::string& checkpoint_file);
// Checks the values of all tensors of the checkpoint by require_possible_values(). It reads them
// one after the other, in pieces of a few MiB.
// @throws as require_possible_values(); IoError
// @pre check_part() passes for all parts
void check_values(const Checkpoint& checkpoint, const std::string& checkpoint_file);

}  // namespace cnnplan
