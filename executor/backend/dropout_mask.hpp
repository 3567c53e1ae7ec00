// Says which elements a dropout keeps, for all backends. The answer depends on seed, step, layer
// and global index, so the split of the tensor does not matter.
#pragma once

#include <array>
#include <cstdint>

#include "executor/backend/random.hpp"

namespace cnnplan {

// Returns the key of one position of a dropout layer. `layer_key` is random_key() of seed, step and
// layer with RandomUse::dropout. `position` is its global (n, d, h, w).
constexpr std::uint64_t dropout_key(std::uint64_t layer_key,
                                    const std::array<std::int64_t, 4>& position) {
  std::uint64_t key = layer_key;
  for (std::int64_t index : position) key = random_bits(key, index);
  return key;
}

// Returns true if the element of a channel is kept, with probability 1 - rate. `position_key` is
// dropout_key() of the element's position, and `channel` is a global index.
constexpr bool dropout_keeps(std::uint64_t position_key, std::int64_t channel, double rate) {
  return random_uniform(position_key, channel) >= rate;
}

}  // namespace cnnplan
