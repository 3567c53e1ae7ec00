// Implements the Feistel rounds and the cycle walking of a random order.
#include "executor/data/permutation.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "executor/backend/random.hpp"

namespace cnnplan {

Permutation::Permutation(std::int64_t size, std::uint64_t key)
    : size_(size),
      key_(key),
      half_bits_(std::max(1, (static_cast<int>(std::bit_width(size_ - 1)) + 1) / 2)) {}

std::int64_t Permutation::operator()(std::int64_t index) const {
  constexpr std::uint64_t rounds = 6;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t value = index;
  do {
    std::uint64_t high = value >> half_bits_;
    std::uint64_t low = value & mask;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t mixed = random_bits(key_ + round, low) & mask;
      high = std::exchange(low, high ^ mixed);
    }
    value = (high << half_bits_) | low;
  } while (value >= size_);
  return value;
}

}  // namespace cnnplan
