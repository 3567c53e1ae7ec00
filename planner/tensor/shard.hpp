// Divides an array into shards, one for each rank of a sharded update.
#pragma once

#include <cstdint>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Shards, and slots in an arena, are whole lines of this many elements: a cache line of fp32.
inline constexpr std::int64_t shard_line_elements = 16;

// Returns the elements that each of `parts` equal shards has room for, a multiple of
// shard_line_elements. All shards together have room for all elements. @pre parts >= 1
std::int64_t shard_elements(std::int64_t elements, int parts);

// Returns which of the elements [0, elements) are in the shard of `part`. The last shards may have
// fewer than others, or none.
// @pre 0 <= part < parts
Range shard(std::int64_t elements, int parts, int part);

}  // namespace cnnplan
