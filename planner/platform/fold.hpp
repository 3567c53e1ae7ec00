// Which ranks of a group take part in exchanges that need a power of two.
#pragma once

#include <bit>

namespace cnnplan {

// Of the first 2 * folded positions in a group, the even ones hand their values to the odd ones and
// get the sum in the end. The others are the core, numbered in the order of their positions.
struct Fold {
  int core_ranks = 1;  // the largest power of two that is not above the number of ranks
  int folded = 0;      // ranks beyond it

  // @pre ranks > 0
  explicit Fold(int ranks)
      : core_ranks(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        folded(ranks - core_ranks) {}

  bool is_folded(int position) const { return position < 2 * folded && position % 2 == 0; }
  bool takes(int position) const { return position < 2 * folded && position % 2 == 1; }
  // @pre !is_folded(position)
  int core_of(int position) const {
    return position < 2 * folded ? position / 2 : position - folded;
  }
  int position_of(int core) const { return core < folded ? 2 * core + 1 : core + folded; }
};

}  // namespace cnnplan
