// Small random networks and plans for them: a function of the seed, the same on every machine.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// A plan whose network has two or three dims, odd sizes up to 17, batch 1 to 6, and any of the
// layer kinds. Every layer has a mesh of its own or that of the layer before, some with thin or
// empty blocks. Batch norm is `global`, so that one rank computes the same.
Plan random_plan(std::uint64_t seed, int ranks);

// The same with some of its layers split over channels: convolutions with both algorithms, and what
// follows them.
Plan random_channel_plan(std::uint64_t seed, int ranks);

// Its network by positions along the outermost of their dims alone, all convolutions with interiors
// and strips.
Plan random_row_plan(std::uint64_t seed, int ranks);

// Its network by samples alone, which are summed over 8 blocks of one to three. @pre ranks: 1, 2,
// 4, 8
Plan random_block_plan(std::uint64_t seed, int ranks);

// Axes and their order at random; the product of the sizes is `ranks`.
Mesh random_mesh(std::uint64_t seed, int ranks);

}  // namespace cnnplan::test
