// The bytes that a collective hands to its neighbour at once. The executor sends these chunks, and
// the cost model prices them.
#pragma once

#include <cstddef>

namespace cnnplan {

// The neighbour reads such a chunk from shared memory. All chunks under way fit into a second-level
// cache of 1 MiB.
inline constexpr std::size_t chunk_bytes_inside_node = std::size_t{64} << 10;
// A message carries such a chunk.
inline constexpr std::size_t chunk_bytes_between_nodes = std::size_t{256} << 10;

}  // namespace cnnplan
