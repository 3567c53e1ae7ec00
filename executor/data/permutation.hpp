// Computes a random order of any length without storing it.
#pragma once

#include <cstdint>

namespace cnnplan {

// Computes a bijection of [0, size). A Feistel network on the next even number of bits is repeated
// until the result is below `size` (Black, Rogaway 2002, "cycle walking").
class Permutation {
 public:
  // Different keys give different orders. @pre size >= 1
  Permutation(std::int64_t size, std::uint64_t key);
  // Returns the number that stands at place `index` of the order, in [0, size).
  // @pre 0 <= index < size
  std::int64_t operator()(std::int64_t index) const;

 private:
  std::uint64_t size_;
  std::uint64_t key_;
  int half_bits_;
};

}  // namespace cnnplan
