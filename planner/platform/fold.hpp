// Says which ranks of a group take part in exchanges that need a power of two.
#pragma once

#include <bit>

namespace cnnplan {

// Splits the positions of a group. Among the first 2 * folded positions, each even one hands its
// values to the next odd one before the exchanges, and gets the sum after them. All other
// positions form the core, numbered in order.
struct Fold {
  int core_ranks = 1;  // the largest power of two that is not above the number of ranks
  int folded = 0;      // ranks that are not in the core

  // @pre ranks > 0
  explicit Fold(int ranks)
      : core_ranks(std::bit_floor(static_cast<unsigned>(ranks))), folded(ranks - core_ranks) {}

  bool is_folded(int position) const { return position < 2 * folded && position % 2 == 0; }
  // True if the position takes the values of a folded one.
  bool takes(int position) const { return position < 2 * folded && position % 2 == 1; }
  // Returns the number in the core of the rank at a position. @pre !is_folded(position)
  int core_of(int position) const {
    return position < 2 * folded ? position / 2 : position - folded;
  }
  // Returns the position of the rank with a number in the core. @pre 0 <= core < core_ranks
  int position_of(int core) const { return core < folded ? 2 * core + 1 : core + folded; }
};

}  // namespace cnnplan
