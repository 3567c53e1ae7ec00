// Makes small random networks and plans for them. They depend only on the seed, not on the machine.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// Returns a plan of a network with two or three dims, odd sizes up to 17, batch 1 to 6, and any of
// the layer kinds. Every layer has a mesh of its own or that of the layer before, some with thin or
// empty blocks. Batch norm is `global`, so that one rank computes the same numbers.
Plan random_plan(std::uint64_t seed, int ranks);

// Returns a plan that splits some layers of random_plan over channels: convolutions with all
// algorithms, and layers that follow them.
Plan random_channel_plan(std::uint64_t seed, int ranks);

// Returns a plan that splits the network of random_plan along the outermost spatial dim alone. All
// convolutions have an interior and strips.
Plan random_row_plan(std::uint64_t seed, int ranks);

// Returns a plan that splits the network of random_plan by samples alone. Sums have 8 blocks of one
// to three samples.
// @pre ranks: 1, 2, 4, 8
Plan random_block_plan(std::uint64_t seed, int ranks);

// Returns a mesh with random axes in any order. The product of their sizes is `ranks`.
Mesh random_mesh(std::uint64_t seed, int ranks);

}  // namespace cnnplan::test
