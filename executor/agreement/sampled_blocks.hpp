// Chooses the blocks of a large dataset that stand for all of it when ranks compare their data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/hdf5/hdf5_dataset.hpp"

namespace cnnplan {

// A dataset is represented by at most this number of blocks, of at most this number of values each.
inline constexpr std::int64_t most_sampled_blocks = 256;
inline constexpr std::int64_t most_block_values = std::int64_t{1} << 14;

// Divides a dataset with these extents into blocks that are contiguous in row-major order, and
// returns at most `most` of them in their order, each once. These are all blocks if there are no
// more, and none for a dataset without elements. Otherwise half of them are the first, the last and
// others evenly between them. The other half is drawn at random, always in the same way. Of 256
// blocks, a change of neighbouring blocks that are 1/127 of the dataset is never missed. If each
// block differs with probability p, all differences are missed with probability (1 - p)^256 at
// about 256 different blocks.
// @pre there is at least one dim, and most >= 4
std::vector<Selection> sampled_blocks(std::span<const std::int64_t> extents,
                                      std::int64_t most = most_sampled_blocks);

}  // namespace cnnplan
