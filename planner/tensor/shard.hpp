// Ranks that share the values of an array among them.
#pragma once

#include <cstdint>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Of `parts` equal shards, in whole cache lines of 16 elements, that together have room for all.
// @pre parts >= 1
std::int64_t shard_elements(std::int64_t elements, int parts);

// What of the elements is in the shard of `part`: the last ones may have less than the others, or
// nothing. @pre 0 <= part < parts
Range shard(std::int64_t elements, int parts, int part);

}  // namespace cnnplan
