// Tests how a group of any size is reduced to a power of two for recursive algorithms.
#include "planner/platform/fold.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("Fold: the core is a power of two, and the other ranks send to odd ranks") {
  struct Row {
    int ranks;
    int core_ranks;
    std::string roles;  // by position: f folded, t takes, . neither
  };
  for (const Row& row : {Row{1, 1, "."},
                         Row{2, 2, ".."},
                         Row{3, 2, "ft."},
                         Row{6, 4, "ftft.."},
                         Row{7, 4, "ftftft."},
                         Row{8, 8, "........"}}) {
    CAPTURE(row.ranks);
    const Fold fold(row.ranks);
    CHECK(fold.core_ranks == row.core_ranks);
    CHECK(fold.core_ranks + fold.folded == row.ranks);
    std::string roles;
    for (int position = 0; position < row.ranks; ++position) {
      roles += fold.is_folded(position) ? 'f' : fold.takes(position) ? 't' : '.';
    }
    CHECK(roles == row.roles);
  }
}

TEST_CASE("Fold: the core is numbered in the order of its positions") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    CAPTURE(ranks);
    const Fold fold(ranks);
    int core = 0;
    for (int position = 0; position < ranks; ++position) {
      if (fold.is_folded(position)) continue;
      CHECK(fold.core_of(position) == core);
      CHECK(fold.position_of(core) == position);
      ++core;
    }
    CHECK(core == fold.core_ranks);
  }
}

}  // namespace cnnplan
