// Chooses the results of a block that are computed again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Both functions convert between a place in a dense, channels-last block, which counts its elements
// in memory, and the index (n, c, d, h, w) of the element.
std::array<std::int64_t, dim_count> index_at(const Shape& shape, std::int64_t place);
std::size_t dense_place(const Shape& shape, const std::array<std::int64_t, dim_count>& index);

// Returns all places of a block if they are at most `most`. Else it returns the corners, and runs
// of 16 neighbours that are drawn at random with this seed, about `most` places together. They
// ascend, each once.
std::vector<std::int64_t> checked_places(const Shape& shape, std::int64_t most, std::uint64_t seed);

}  // namespace cnnplan
