// Random small networks and plans, the same on every machine: for tests of properties that must
// hold whatever is trained and however it is split.
#pragma once

#include <cstdint>
#include <random>

#include "planner/model/plan.hpp"

namespace cnnplan::test {

// 0 to count - 1.
int below(std::mt19937_64& random, int count);
bool one_in(std::mt19937_64& random, int count);

// Every layer kind with odd sizes: residual branches, grouped, dilated and strided windows wider
// than the image's blocks, sometimes three-dimensional, per-image and per-pixel losses.
Network random_network(std::mt19937_64& random);

// Axes n d h w r in any order, sizes that need not divide the tensor; blocks may be empty.
Mesh random_mesh(std::mt19937_64& random, int ranks);

// A mesh for every layer, often that of its input so that layers fuse; any statistics, algorithms
// and bucket sizes.
Plan random_plan(std::mt19937_64& random, const Network& network, std::int64_t batch, int ranks);

}  // namespace cnnplan::test
