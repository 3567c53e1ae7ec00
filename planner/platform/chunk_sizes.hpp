// Defines how many bytes a rank passes to its neighbour at once in a collective. The executor sends
// chunks of this size, and the cost model prices them.
#pragma once

#include <cstddef>

namespace cnnplan {

// The neighbour reads a chunk of this size from shared memory. All chunks under way fit into a
// second-level cache of 1 MiB.
inline constexpr std::size_t chunk_bytes_inside_node = std::size_t{64} << 10;
// A message between nodes carries one chunk of this size.
inline constexpr std::size_t chunk_bytes_between_nodes = std::size_t{256} << 10;

}  // namespace cnnplan
